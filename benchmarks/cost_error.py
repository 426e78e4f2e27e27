"""Predicted against measured: reads of the shared cases on normalized, embedded and tree designs, none of which any fit saw.

    .venv/bin/python -m benchmarks.cost_error [FOLDER] [--profile profile.yaml] [--keep DIRECTORY] [--worst 20]

Every database is loaded once per design; its statements run interleaved, several times each, and the fastest run counts,
since other work on the machine only ever adds time (`benchmarks.processor_time` leaves most of that out). `--keep` stores designs
and times in a directory and takes them from there when they are in it, so that a change of the estimator is judged in seconds.
Prints Markdown.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pymongo.database import Database
from pymongo.errors import PyMongoError

from benchmarks.cases import CASES, unpacked
from benchmarks.processor_time import undisturbed_seconds
from nestling.common.connection import connect
from nestling.common.errors import NestlingError
from nestling.common.server import open_server
from nestling.cost import Profile, default_profile, price, prices, read_profile
from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import CompiledRead, ReadPlan
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.statements.algebra import Query
from nestling.ir.statements.expression import Compare, Like
from nestling.ir.statements.operators import ABOVE, BELOW
from nestling.ir.text import read_file, write_proposal
from nestling.ir.workload import Statement
from nestling.pipeline import LoadMode, design, inspect, load
from nestling.pipeline.converting import default_price
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate
from nestling.planner.work import estimate
from nestling.sources.front import with_workload
from tests.shared_cases import required

STRATEGIES = ("normalized", "embedded", "tree")
LONGEST_SECONDS = 3.0
SECONDS_A_SUBJECT = 1.5
MOST_RUNS = 40
NOISE = 1.2
"""How far the fastest runs of the same read on the same documents lie apart on a shared machine; less is no difference."""


@dataclass(frozen=True)
class Subject:
    """A statement on a design."""

    case: str
    strategy: str
    name: str
    proposal: Proposal
    plan: ReadPlan
    read: CompiledRead
    values: dict[str, Any]

    @property
    def key(self) -> str:
        return f"{self.case}/{self.strategy}/{self.name}"


def main() -> int:
    """Measure what is not known yet, predict, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=CASES)
    parser.add_argument("--case", action="append", help="only these databases")
    parser.add_argument("--profile", type=Path, help="default: the one that ships")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--worst", type=int, default=10)
    parser.add_argument("--measure-only", action="store_true")
    options = parser.parse_args()
    required(options.folder)
    with tempfile.TemporaryDirectory() as scratch:
        keep = options.keep or Path(scratch)
        keep.mkdir(parents=True, exist_ok=True)
        folders = [f for f in sorted(options.folder.iterdir()) if (f / "workload.sql").exists()]
        folders = [f for f in folders if not options.case or f.name in options.case]
        for folder in folders:
            if not (keep / f"{folder.name}.json").exists():
                _measure(folder, keep)
        if not options.measure_only:
            profile = read_profile(options.profile) if options.profile else default_profile()
            _report([r for folder in folders for r in _results(folder, keep, profile)], options.worst)
    return 0


# --- measuring -----------------------------------------------------------------------------------------------------------


def _measure(folder: Path, keep: Path) -> None:
    database = unpacked(folder, keep)
    reading = inspect(f"sqlite:///{database}", workload=folder / "workload.sql")
    with open_server() as server, connect(server.uri) as client:
        found: list[tuple[Subject, Database[Any]]] = []
        for strategy in STRATEGIES:
            proposal = design(reading, strategy)
            (keep / f"{folder.name}.{strategy}.yaml").write_text(write_proposal(proposal), encoding="utf-8")
            target = client[f"{folder.name}_{strategy}"]
            load(proposal, f"sqlite:///{database}", target, mode=LoadMode.REPLACE, check=False)
            found += [
                (each, target) for each in _subjects(folder.name, strategy, proposal, reading.workload.statements)
            ]
        times = _times(found, server.pid)
    (keep / f"{folder.name}.json").write_text(json.dumps(times, indent=1))
    print(f"measured {folder.name}: {len(times)}", file=sys.stderr)


def _subjects(case: str, strategy: str, proposal: Proposal, statements: Sequence[Statement]) -> Iterator[Subject]:
    """The reads that compile and whose parameters all have sample values."""
    for statement in (each for each in statements if not each.kind.writes):
        try:
            query = translate(statement.sql, proposal.design.model, "sqlite")
            if not isinstance(query, Query):
                continue
            plan = plan_read(query, proposal.design, statistics=proposal.statistics, price=default_price)
            read = compiled_read(plan, name=statement.name, sql=statement.sql)
        except NestlingError:
            continue
        samples = dict(statement.samples)
        if all(name in samples for name in read.parameters):
            values = {name: samples[name] for name in read.parameters}
            yield Subject(case, strategy, statement.name, proposal, plan, read, values)


def _times(found: list[tuple[Subject, Database[Any]]], server: int | None) -> dict[str, dict[str, float]]:
    """Runs in rounds over all subjects, so that a busy moment hits all alike; `server`: its process id."""
    runs: dict[str, list[float]] = defaultdict(list)
    rows: dict[str, int] = {}
    for number in range(MOST_RUNS):
        for subject, database in found:
            done = runs[subject.key]
            if number and (not done or (sum(done) > SECONDS_A_SUBJECT and number > 2) or max(done) > LONGEST_SECONDS):
                continue
            answer: list[object] = []
            try:
                done.append(undisturbed_seconds(partial(_run, database, subject, answer), server))
            except (NestlingError, PyMongoError) as error:
                print(f"{subject.key}: {str(error)[:100]}", file=sys.stderr)
                continue
            rows[subject.key] = len(answer)
    return {key: {"seconds": min(done), "runs": len(done), "rows": rows[key]} for key, done in runs.items() if done}


def _run(database: Database[Any], subject: Subject, answer: list[object]) -> None:
    answer.extend(run_read(database, subject.read, subject.values))


# --- predicting ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """A subject's measured and predicted seconds."""

    subject: Subject
    measured: float
    predicted: float
    rows: float
    parts: dict[str, float]


def q_error(measured: float, predicted: float) -> float:
    """How many times as long as the other the longer of the two is."""
    return max(measured / predicted, predicted / measured)


def _results(folder: Path, keep: Path, profile: Profile) -> Iterator[Result]:

    times = json.loads((keep / f"{folder.name}.json").read_text())
    for strategy in STRATEGIES:
        proposal = read_file(keep / f"{folder.name}.{strategy}.yaml")
        assert isinstance(proposal, Proposal)
        reading = with_workload(Reading(proposal.design.model, dialect="sqlite"), folder / "workload.sql")
        for subject in _subjects(folder.name, strategy, proposal, reading.workload.statements):
            if subject.key in times:
                work = estimate(subject.plan, proposal.design, proposal.statistics, subject.values)
                known = times[subject.key]
                yield Result(
                    subject, known["seconds"], price(work, profile), known["rows"], dict(prices(work, profile))
                )


def _report(results: list[Result], worst: int) -> None:
    print("| case | statements × designs | q-error median | p95 | max |\n|---|---|---|---|---|")
    for case in dict.fromkeys(r.subject.case for r in results):
        _line(case, [r for r in results if r.subject.case == case])
    _line("all", results)
    _line("of these without ranges and patterns", [r for r in results if not _guesses(r.subject.plan)])
    groups = _by_statement(results)
    print(
        f"\nStatements on designs that differ: {len(groups)}; Spearman over the designs, mean: {_ranks(groups):.2f}; ",
        end="",
    )
    print(f"the cheapest predicted is the fastest, or within 10 %: {_best(groups):.0%}\n")
    for r in sorted(results, key=lambda r: -q_error(r.measured, r.predicted))[:worst]:
        parts = ", ".join(f"{name} {1e3 * cost:.2f}" for name, cost in list(r.parts.items())[:5])
        print(f"- {r.subject.key}: {1e3 * r.measured:.2f} ms, predicted {1e3 * r.predicted:.2f} ms ({parts})")


def _line(name: str, results: list[Result]) -> None:
    errors = sorted(q_error(r.measured, r.predicted) for r in results)
    cells = (name, len(errors), *(f"{_quantile(errors, at):.2f}" for at in (0.5, 0.95, 1.0)))
    print("| " + " | ".join(map(str, cells)) + " |")


def _guesses(node: object) -> bool:
    """Whether there is a range or pattern in a plan, whose share of rows no statistics tell."""
    if isinstance(node, Like) or (isinstance(node, Compare) and node.operator in ABOVE | BELOW):
        return True
    if isinstance(node, tuple):
        return any(map(_guesses, node))
    return is_dataclass(node) and any(_guesses(getattr(node, item.name)) for item in fields(node))


def _quantile(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan


def _by_statement(results: list[Result]) -> list[list[Result]]:
    """The results of each statement on designs that differ for it; what is the same on two counts once, the faster run."""
    found: dict[tuple[str, str], dict[int, Result]] = defaultdict(dict)
    for result in sorted(results, key=lambda r: -r.measured):
        found[result.subject.case, result.subject.name][_rounded(result.predicted)] = result
    return [list(group.values()) for group in found.values() if len(group) > 1]


def _ranks(groups: list[list[Result]]) -> float:
    """The mean rank correlation over the designs that differ measurably."""
    found = [
        _spearman([_rounded(g.measured) for g in group], [_rounded(g.predicted) for g in group])
        for group in groups
        if max(g.measured for g in group) > NOISE * min(g.measured for g in group)
    ]
    return sum(found) / len(found) if found else math.nan


def _rounded(seconds: float) -> int:
    """Seconds in steps of 10 %: what differs less is a tie."""
    return round(math.log(seconds) / math.log(1.1))


def _spearman(one: Sequence[float], other: Sequence[float]) -> float:
    a, b = _ranked(one), _ranked(other)
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    covariance = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True))
    spread = math.sqrt(sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b))
    return covariance / spread if spread else float(not any(x != mean_a for x in a) and not any(y != mean_b for y in b))


def _ranked(values: Sequence[float]) -> list[float]:
    """Ranks, ties sharing theirs."""
    return [sum(v < value for v in values) + (sum(v == value for v in values) - 1) / 2 for value in values]


def _best(groups: list[list[Result]]) -> float:
    hits = [min(group, key=lambda g: g.predicted).measured <= 1.1 * min(g.measured for g in group) for group in groups]
    return sum(hits) / len(hits) if hits else math.nan


if __name__ == "__main__":
    sys.exit(main())
