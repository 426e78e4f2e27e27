"""Law 1 for as long as it is told: random statements and write traces on random designs, beside SQLite.

    .venv/bin/python -m benchmarks.soak --minutes 10 --seed 1 [--reads | --writes] [--shrink]

Prints the counts by verdict, construct and primitive, and for each kind of failure its shortest case; `--shrink` reduces the
model, the rows and the design of the first one as well. Exits 1 when there is a failure.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException
from pymongo import MongoClient

from nestling.common.connection import connect
from nestling.common.server import open_server
from tests.laws.reads import round_of_reads
from tests.laws.tally import Counts, lines
from tests.laws.writes import round_of_writes

STATEMENTS, WRITES, ROUNDS = 60, 8, 10
Failures = dict[str, str]
"""By what tells one kind from another: the shortest text of a failure."""
Round = Callable[[st.DataObject], None]


def main() -> int:
    """Soak and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reads", action="store_true", help="statements alone")
    parser.add_argument("--writes", action="store_true", help="write traces alone")
    parser.add_argument("--shrink", action="store_true", help="stop at the first failure and reduce it")
    options = parser.parse_args()
    counts: Counts = Counter()
    failures: Failures = {}
    end = time.monotonic() + options.minutes * 60
    with open_server() as server, connect(server.uri) as client:
        kinds: list[Round] = []
        if not options.writes:
            kinds.append(lambda data: _reads(data, client, counts, failures, stops=options.shrink))
        if not options.reads:
            kinds.append(lambda data: _writes(data, client, counts, failures, stops=options.shrink))
        number = options.seed * 1_000_000
        while time.monotonic() < end and not (failures and options.shrink):
            for kind in kinds:
                _run(kind, number, failures, shrinks=options.shrink)
            number += 1
    print("\n".join(lines(counts)))
    for text in sorted(failures.values(), key=len):
        print(f"{'=' * 100}\n{text}")
    return 1 if failures else 0


def _run(once: Round, number: int, failures: Failures, *, shrinks: bool) -> None:
    """So many rounds from a seed."""

    @seed(number)
    @settings(
        max_examples=ROUNDS,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink] if shrinks else [Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def rounds(data: st.DataObject) -> None:
        once(data)

    try:
        rounds()
    except AssertionError as error:
        print(error, *getattr(error, "__notes__", ()), sep="\n")
    except Exception as error:  # the round failed as a whole, such as loading
        notes = getattr(error, "__notes__", ())
        _keep(failures, f"{type(error).__name__}: {error}"[:90], "\n".join([traceback.format_exc(), *notes]))


def _reads(data: st.DataObject, client: MongoClient[Any], counts: Counts, failures: Failures, *, stops: bool) -> None:
    for statement, outcome, world, design in round_of_reads(data, client, counts, count=STATEMENTS):
        if outcome.failed:
            text = f"{outcome.verdict}: {statement.sql}\n{statement.values}\n{outcome.cause}"
            text += f"\n{design.model}\n{world.rows}\n{design.collections}"
            kind = outcome.cause.splitlines()[-1] if outcome.verdict == "crash" else outcome.cause.splitlines()[0]
            _keep(failures, kind[:90] if outcome.verdict != "wrong" else statement.sql, text)
            assert not stops, text


def _writes(data: st.DataObject, client: MongoClient[Any], counts: Counts, failures: Failures, *, stops: bool) -> None:
    try:
        round_of_writes(data, client, counts, count=WRITES)
    except HypothesisException:
        raise
    except Exception as error:
        counts["rounds", "writes failed"] += 1
        lines_of = traceback.format_exc().splitlines()
        place = next((line for line in reversed(lines_of) if "/src/nestling/" in line), "")
        said = str(error).splitlines()[:1]
        _keep(
            failures,
            f"{type(error).__name__} {said} {place}"[:160],
            "\n".join(
                [*lines_of[-12:], str(error)[:3000], str(error.__cause__)[:1500], *getattr(error, "__notes__", ())]
            ),
        )
        if stops:
            raise AssertionError(traceback.format_exc()) from error


def _keep(failures: Failures, kind: str, text: str) -> None:
    if kind not in failures or len(text) < len(failures[kind]):
        failures[kind] = text


if __name__ == "__main__":
    sys.exit(main())
