"""Predicted against measured: writes of the bundled shop and of shared cases on normalized, embedded and tree designs.

    .venv/bin/python -m benchmarks.write_error [FOLDER] [--case NAME]… [--draws 12] [--worst 10]

Every write runs with values drawn from the rows, each draw once, in turns over all writes of a case; the median of its runs that
change something stands against the median of its predictions (`benchmarks.processor_time` says how other work on the machine is
left out). Waiting for the journal is such other work then, so that on a busy machine short writes look faster than users see
them. A plain update of one small document takes its turns with them: how many times its price that takes tells how fast the
machine is just now, which the last two columns leave out. Prints Markdown.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from pymongo.collection import Collection
from pymongo.database import Database
from pymongo.errors import PyMongoError

from benchmarks.cases import CASES, unpacked
from benchmarks.cost_error import STRATEGIES, q_error
from benchmarks.processor_time import undisturbed_seconds
from nestling.common.connection import connect
from nestling.common.errors import NestlingError
from nestling.common.server import open_server
from nestling.cost import Profile, default_profile, price, prices
from nestling.executors.write import run_write
from nestling.ir.bindings import Bindings
from nestling.ir.paths import work_of
from nestling.ir.paths.work import Work
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.statements.algebra import Query
from nestling.pipeline import LoadMode, convert, design, inspect, load
from nestling.pipeline.converting import default_price
from nestling.pipeline.parameter_values import bindings
from nestling.planner.sql import translate
from nestling.planner.work import estimate_write
from nestling.planner.writes import plan_write
from nestling.sources.front import open_rows
from tests.bundled_shop import write_shop

SHOP = "shop"
PLAIN = "a plain update"
SMALL = 120
"""Bytes of a document of the plain updates."""
DEFAULT = ("chinook", "northwind", "sakila", "tpcc")


@dataclass(frozen=True)
class Subject:
    """A write on a design, with its draws and the work each is taken to be."""

    key: str
    database: Database[Any]
    write: CompiledWrite
    draws: tuple[Mapping[str, object], ...]
    work: tuple[Work, ...]


@dataclass(frozen=True)
class Result:
    """A subject's measured and predicted seconds. `pace`: times its price that a plain update took beside it."""

    key: str
    measured: float
    predicted: float
    pace: float
    parts: Mapping[str, float]


def main() -> int:
    """Measure, predict, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=CASES)
    parser.add_argument("--case", action="append", help=f"only these; default: {SHOP}, {', '.join(DEFAULT)}")
    parser.add_argument("--draws", type=int, default=12)
    parser.add_argument("--worst", type=int, default=10)
    options = parser.parse_args()
    cases = options.case or (SHOP, *(name for name in DEFAULT if (options.folder / name).is_dir()))
    results: dict[str, list[Result]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for case in cases:
            address, statements = _source(case, options.folder, Path(scratch))
            results[case] = list(_measured(case, address, statements, options.draws))
            print(f"measured {case}: {len(results[case])}", file=sys.stderr)
    _report(results, options.worst)
    return 0


def _source(case: str, folder: Path, scratch: Path) -> tuple[str, Path]:
    if case != SHOP:
        return f"sqlite:///{unpacked(folder / case, scratch)}", folder / case / "workload.sql"
    return write_shop(scratch), scratch / "workload.sql"


def _measured(case: str, address: str, statements: Path, draws: int) -> Iterator[Result]:
    reading = inspect(address, workload=statements)
    values = _drawn(reading, address, draws)
    profile = default_profile()
    with open_server() as server, connect(server.uri) as client:
        found: list[Subject] = []
        for strategy in STRATEGIES:
            proposal = design(reading, strategy)
            target = client[f"{case}_{strategy}"]
            load(proposal, address, target, mode=LoadMode.REPLACE, check=False)
            found += _subjects(f"{case}/{strategy}", proposal, reading, values, target, draws)
        times = _times(found, server.pid, client[case]["plain"])
    plain = work_of.request() + work_of.fetch_by_index(1, SMALL) + work_of.update(1, SMALL)
    pace = median(times[PLAIN]) / price(plain, profile)
    for subject in found:
        if times[subject.key]:
            yield _result(subject, times[subject.key], profile, pace)


def _drawn(reading: Reading, address: str, draws: int) -> Mapping[str, Bindings]:
    """Draws of the writes there are values for."""
    found: dict[str, Bindings] = {}
    source = open_rows(address, reading.model)
    for each in reading.workload.statements:
        if each.kind.writes:
            one = type(reading.workload)((each,))
            try:
                found |= bindings(
                    Reading(reading.model, one, reading.statistics, dialect=reading.dialect), source, count=draws
                )
            except NestlingError as error:
                print(f"{each.name}: {str(error)[:100]}", file=sys.stderr)
    return found


def _subjects(
    where: str,
    proposal: Proposal,
    reading: Reading,
    values: Mapping[str, Bindings],
    target: Database[Any],
    draws: int,
) -> Iterator[Subject]:
    for statement in reading.workload.statements:
        if statement.name not in values:
            continue
        drawn = values[statement.name]
        given = tuple(drawn.values(n) for n in range(min(draws, len(drawn.draws)) if drawn.once else draws))
        try:
            write = convert(proposal, statement.sql, name=statement.name, dialect="sqlite")
            asked = translate(statement.sql, proposal.design.model, "sqlite")
            if isinstance(asked, Query) or not isinstance(write, CompiledWrite):
                continue
            plan = plan_write(asked, proposal.design, statistics=proposal.statistics, price=default_price)
            work = tuple(estimate_write(plan, proposal.design, proposal.statistics, each) for each in given)
        except NestlingError:
            continue
        yield Subject(f"{where}/{statement.name}", target, write, given, work)


def _times(found: list[Subject], server: int | None, plain: Collection[Any]) -> dict[str, list[float]]:
    runs: dict[str, list[float]] = defaultdict(list)
    plain.insert_one({"_id": 1, "c": 0, "text": "x" * (SMALL - 40)})
    change = partial(plain.update_one, {"_id": 1}, {"$inc": {"c": 1}})
    for number in range(max((len(each.draws) for each in found), default=0)):
        for each in found:
            runs[PLAIN].append(undisturbed_seconds(change, server))
            if number < len(each.draws):
                before = _last_change(each.database)
                try:
                    seconds = undisturbed_seconds(_Run(each, number), server)
                    if _last_change(each.database) != before:  # values drawn from the rows may be there already
                        runs[each.key].append(seconds)
                except (NestlingError, PyMongoError) as error:
                    print(f"{each.key}: {str(error)[:100]}", file=sys.stderr)
    return runs


def _last_change(database: Database[Any]) -> object:
    """The time of the newest change the server noted."""
    changes = database.client["local"]["oplog.rs"]
    newest = changes.find({"op": {"$ne": "n"}}, {"ts": 1}).sort("$natural", -1).limit(1)
    return next((each["ts"] for each in newest), None)


@dataclass(frozen=True)
class _Run:
    subject: Subject
    number: int

    def __call__(self) -> object:
        return run_write(self.subject.database, self.subject.write, self.subject.draws[self.number])


def _result(subject: Subject, seconds: list[float], profile: Profile, pace: float) -> Result:
    costs = sorted(subject.work, key=lambda work: price(work, profile))
    middle = costs[len(costs) // 2]
    return Result(subject.key, median(seconds), price(middle, profile), pace, dict(prices(middle, profile)))


def _report(results: Mapping[str, list[Result]], worst: int) -> None:
    print(
        "| case | writes × designs | q-error median | p95 | max | a plain update | median beside it | p95 beside it |"
    )
    print("|---|---|---|---|---|---|---|---|")
    every = [each for found in results.values() for each in found]
    for case, found in (*results.items(), ("all", every)):
        if found:
            measured = _middle_p95_most(q_error(each.measured, each.predicted) for each in found)
            beside = _middle_p95_most(q_error(each.measured, each.pace * each.predicted) for each in found)
            pace = median(each.pace for each in found)
            figures = (
                *(f"{error:.2f}" for error in measured),
                f"{pace:.2f} ×",
                *(f"{error:.2f}" for error in beside[:2]),
            )
            print(f"| {case} | {len(found)} | {' | '.join(figures)} |")
    print()
    for each in sorted(every, key=lambda r: -q_error(r.measured, r.pace * r.predicted))[:worst]:
        parts = ", ".join(f"{name} {1e3 * cost:.2f}" for name, cost in list(each.parts.items())[:5])
        print(f"- {each.key}: {1e3 * each.measured:.2f} ms, predicted {1e3 * each.predicted:.2f} ms ({parts})")


def _middle_p95_most(errors: Iterable[float]) -> tuple[float, float, float]:
    known = sorted(errors)
    return median(known), known[min(len(known) - 1, -(-95 * len(known) // 100) - 1)], known[-1]


if __name__ == "__main__":
    sys.exit(main())
