"""Reads of real workloads on several designs beside SQLite: what compiles, what is equal, and why the rest is not.

    .venv/bin/python benchmarks/sql_coverage.py [FOLDER …] [--design NAME …] [--no-rewrites] [--spider N] [--verbose]

FOLDER holds a `*.sqlite` or `*.sqlite.xz` and a `workload.sql` with `-- params:` samples; by default the shared cases beside the
checkout. Answers are compared as bags; in the order of the ORDER BY keys that are shown. Where SQL itself leaves a choice (ties
cut by LIMIT, bare columns), a different answer is counted apart. Exits 1 when an answer is wrong.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # the reference interpreter is among the tests

from benchmarks.answers import Outcome, Reference, Statement, compare, constructs
from benchmarks.cases import CASES, _unpacked
from nestling.common.connection import connect
from nestling.common.errors import NestlingError
from nestling.common.server import open_server
from nestling.pipeline import Mode, design, inspect, load
from nestling.planner.reads import ALL, NONE, Rewrite
from nestling.sources.statements.blocks import blocks

DESIGNS = ("normalized", "embedded", "tree")
SPIDER = CASES.parent / "queries" / "spider" / "data"
HEAD = ("", "design", "statements", "compiled", "equal", "any of several", "failed", "wrong")
SHOWN_ROWS = 30
MOST_BYTES = 15_000_000


@dataclass
class Table:
    """Counts by (row, design): statements, compiled, equal, wrong."""

    counts: dict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    causes: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    slow: list[tuple[float, str]] = field(default_factory=list)

    def add(self, row: str, name: str, outcome: Outcome) -> None:
        """Count an outcome."""
        found = self.counts[row, name]
        found["statements"] += 1
        found["compiled"] += outcome.compiled
        found[outcome.verdict] += 1

    def show(self) -> None:
        """Print Markdown."""
        print("\n| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD))
        if len({row for row, _ in self.counts}) > SHOWN_ROWS:
            self._sum()
        for (row, name), found in self.counts.items():
            cells = (row, name, found["statements"], *(_share(found, key) for key in ("compiled", "equal", "choice")))
            print("| " + " | ".join(map(str, (*cells, found["failed"], found["wrong"]))) + " |")
        print("\n| cause | times |\n|---|---|")
        for cause, times in self.causes.most_common(60):
            print(f"| {cause} | {times} |")
        for text in self.wrong:
            print(text)

    def _sum(self) -> None:
        sums: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for (_, name), found in self.counts.items():
            sums["all", name] += found
        self.counts = sums


def _share(found: Counter[str], key: str) -> str:
    return f"{found[key]} ({100 * found[key] / max(found['statements'], 1):.0f} %)"


def main() -> int:
    """Run and print; 1 when anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--design", action="append", choices=DESIGNS)
    parser.add_argument("--no-rewrites", action="store_true")
    parser.add_argument("--spider", type=int, default=0, help="instead, so many of the Spider corpus's databases")
    parser.add_argument("--skip", type=int, default=0, help="leave out so many of them first")
    parser.add_argument("--constructs", action="store_true", help="rows of the table are constructs, not databases")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    table = Table()
    rewrites = NONE if options.no_rewrites else ALL
    with open_server() as server, connect(server.uri) as client, tempfile.TemporaryDirectory() as scratch:
        for label, database, statements in _cases(options, Path(scratch)):
            for name in options.design or DESIGNS:
                began = time.perf_counter()
                target = client[f"coverage_{name}"]
                client.drop_database(target.name)
                _run(label, database, statements, name, target, rewrites, table, options)
                print(f"{label} {name}: {time.perf_counter() - began:.1f} s", file=sys.stderr)
                client.drop_database(target.name)
    table.show()
    return 1 if table.wrong else 0


def _cases(options: argparse.Namespace, scratch: Path) -> Iterator[tuple[str, Path, list[Statement]]]:
    folders = options.folders or sorted(path for path in CASES.glob("*") if path.is_dir())
    if options.spider:
        folders = sorted(path for path in SPIDER.glob("*") if path.is_dir())[
            options.skip : options.skip + options.spider
        ]
    for folder in folders:
        database = _unpacked(folder, scratch)
        if database.stat().st_size > MOST_BYTES or not (folder / "workload.sql").exists():
            print(f"{folder.name}: left out", file=sys.stderr)
            continue
        text = (folder / "workload.sql").read_text(encoding="utf-8")
        yield folder.name, database, [Statement(b.name, b.sql, b.samples) for b in blocks(text, "sqlite") if b.sql]


def _run(
    label: str,
    database: Path,
    statements: list[Statement],
    name: str,
    target: Any,
    rewrites: frozenset[Rewrite],
    table: Table,
    options: argparse.Namespace,
) -> None:
    try:
        reading = inspect(f"sqlite:///{database}")
        proposal = design(reading, name)
        load(proposal, f"sqlite:///{database}", target, mode=Mode.REPLACE, check=False)
    except NestlingError as error:
        print(f"{label} {name}: {str(error)[:300]}", file=sys.stderr)
        return
    with sqlite3.connect(database) as connection:
        connection.text_factory = lambda raw: raw.decode(errors="replace")
        oracle = Reference(connection)
        for statement in statements:
            outcome = compare(statement, proposal.design, target, oracle, rewrites)
            if outcome is None:
                continue
            rows = constructs(statement.sql) if options.constructs else [label]
            for row in rows:
                table.add(row, name, outcome)
            if outcome.cause:
                table.causes[outcome.cause] += 1
            if outcome.verdict == "wrong":
                table.wrong.append(f"\n### {label} {name} {statement.name}\n{statement.sql}\n{outcome.detail}")
            if options.verbose or outcome.seconds > 2:
                told = f"{outcome.verdict} {outcome.cause} {outcome.seconds:.2f}s"
                print(f"{label} {name} {statement.name}: {told}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
