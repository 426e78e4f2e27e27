"""The plain designs' cost by the cost model over the least cost, on the workloads of the shared cases.

`python -m benchmarks.plain_designs` prints a Markdown table: everything in collections of its own with every index
(normalized), everything embedded as deep as it goes (embedded), and what the decision tree embeds (tree).
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.cases import CASES, unpacked
from nestling import pipeline
from nestling.cost import default_profile, price
from nestling.ir.situation import Thresholds, situation
from nestling.optimizer import solve
from nestling.optimizer.evaluate import evaluate
from nestling.patterns import propose
from nestling.planner.options import design_problem
from tests.planner.options.plain_choices import by_the_tree, embedded, normalized
from tests.shared_cases import required


def rows(folder: Path) -> Iterator[str]:
    """One line of the table for each database that has a workload."""
    with tempfile.TemporaryDirectory() as scratch:
        for workload in sorted(folder.glob("*/workload.sql")):
            yield _row(workload, unpacked(workload.parent, Path(scratch)))


def _row(workload: Path, database: Path) -> str:
    reading = pipeline.inspect(f"sqlite:///{database}", workload=workload)
    known = situation(reading, Thresholds())
    candidates = propose(known)
    problem = design_problem(known, candidates, partial(price, profile=default_profile()))
    best = solve(problem, limit_seconds=60.0).cost
    chosen = (normalized(candidates), embedded(candidates, reading), by_the_tree(candidates, reading, known))
    costs = (evaluate(problem, each) for each in chosen)
    ratios = (f"{each.cost / best:.2f}" if each is not None else "not possible" for each in costs)
    return f"| {workload.parent.name} | {' | '.join(ratios)} |"


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    folder = required(CASES)
    print("| case | normalized | embedded | tree |\n|---|---|---|---|")
    for row in rows(folder):
        print(row, flush=True)
