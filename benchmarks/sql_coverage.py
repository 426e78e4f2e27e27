"""Reads of real workloads on several designs beside the SQL engine of their dialect: what compiles, what is equal, what is not.

    .venv/bin/python -m benchmarks.sql_coverage [FOLDER …] [--corpora] [--spider N] [--design NAME …] [--constructs] [--verbose]

FOLDER holds a `*.sqlite` or `*.sqlite.xz` and a `workload.sql` with `-- params:` samples; by default the shared cases
(`docs/cases.md`). `--corpora`: instead the shared benchmarks and query corpora, on PostgreSQL, MariaDB and SQLite servers, with
data made for them where they have none. Answers are compared as bags; in the order of the ORDER BY keys that are shown. Where SQL
itself leaves a choice (ties cut by LIMIT, bare columns), a different answer is counted apart. Designs have the statements as
their workload (Spider's without). `--indexes`: also which reads scan a collection although SQLite would use an index.
Exits 1 when an answer is wrong.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from benchmarks.answers import MOST_SECONDS, Outcome, ServerReference, SqliteReference, Statement, compare, constructs
from benchmarks.cases import CASES, unpacked
from benchmarks.corpora import Engines, corpora, opened
from benchmarks.index_use import IndexUse
from nestling.common.connection import connect
from nestling.common.errors import NestlingError
from nestling.common.server import open_server
from nestling.pipeline import LoadMode, design, inspect, load
from nestling.planner.reads import ALL_REWRITES, NO_REWRITES, Rewrite
from nestling.sources.statements.blocks import blocks
from tests.shared_cases import required

DESIGNS = ("normalized", "embedded", "tree")
SPIDER = CASES.parent / "queries" / "spider" / "data"
HEAD = ("", "design", "statements", "compiled", "equal", "any of several", "timeout", "failed", "wrong")
SHOWN_ROWS = 30


@dataclass(frozen=True)
class Case:
    """A database with statements in its dialect."""

    label: str
    dialect: str
    url: str
    statements: tuple[Statement, ...]
    workload: Path | None = None


@dataclass
class Table:
    """Counts by (row, design): statements, compiled, equal, wrong."""

    counts: dict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    causes: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, row: str, name: str, outcome: Outcome) -> None:
        """Count an outcome."""
        found = self.counts[row, name]
        found["statements"] += 1
        found["compiled"] += outcome.compiled
        found[outcome.verdict] += 1

    def show(self) -> None:
        """Print Markdown."""
        print("\n| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD))
        many = len({row for row, _ in self.counts}) > SHOWN_ROWS
        for (row, name), found in [*(() if many else self.counts.items()), *self._sums()]:
            cells = (row, name, found["statements"], *(_share(found, key) for key in ("compiled", "equal", "choice")))
            print("| " + " | ".join(map(str, (*cells, *(found[key] for key in ("timeout", "failed", "wrong"))))) + " |")
        print("\n| cause | times |\n|---|---|")
        for cause, times in self.causes.most_common(80):
            print(f"| {cause} | {times} |")
        for text in self.wrong:
            print(text)

    def _sums(self) -> list[tuple[tuple[str, str], Counter[str]]]:
        sums: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for (_, name), found in self.counts.items():
            sums["all", name] += found
        return list(sums.items())


def _share(found: Counter[str], key: str) -> str:
    return f"{found[key]} ({100 * found[key] / max(found['statements'], 1):.0f} %)"


def main() -> int:
    """Run and print; 1 when anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--design", action="append", choices=DESIGNS)
    parser.add_argument("--no-rewrites", action="store_true")
    parser.add_argument(
        "--corpora", action="store_true", help="the corpora and benchmarks instead of the workload files"
    )
    parser.add_argument("--only", action="append", help="with --corpora: those whose name has this in it")
    parser.add_argument("--spider", type=int, default=0, help="instead, so many of the Spider corpus's databases")
    parser.add_argument("--skip", type=int, default=0, help="leave out so many of them first")
    parser.add_argument("--constructs", action="store_true", help="rows of the table are constructs, not databases")
    parser.add_argument("--indexes", action="store_true", help="ask the server and SQLite for the indexes they use")
    parser.add_argument("--seconds", type=float, default=MOST_SECONDS, help="how long a statement may take")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    table, uses = Table(), IndexUse()
    with ExitStack() as stack:
        server = stack.enter_context(open_server())
        client = stack.enter_context(connect(server.uri))
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        engines = stack.enter_context(Engines(scratch))
        for case in _corpora(options, engines) if options.corpora else _cases(options, scratch):
            for name in options.design or DESIGNS:
                began = time.perf_counter()
                target = client[f"coverage_{name}"]
                client.drop_database(target.name)
                _run(case, name, target, table, uses, options)
                print(f"{case.label} {name}: {time.perf_counter() - began:.1f} s", file=sys.stderr)
                client.drop_database(target.name)
    table.show()
    if options.indexes:
        uses.show()
    return 1 if table.wrong else 0


def _cases(options: argparse.Namespace, scratch: Path) -> Iterator[Case]:
    folders = options.folders
    if options.spider:
        every = sorted(path for path in required(SPIDER).iterdir() if path.is_dir())
        folders = every[options.skip : options.skip + options.spider]
    elif not folders:
        folders = sorted(path for path in required(CASES).iterdir() if path.is_dir())
    for folder in folders:
        if not (folder / "workload.sql").exists():
            print(f"{folder.name}: left out", file=sys.stderr)
            continue
        text = (folder / "workload.sql").read_text(encoding="utf-8")
        statements = tuple(Statement(b.name, b.sql, b.samples) for b in blocks(text, "sqlite") if b.sql)
        workload = None if options.spider else folder / "workload.sql"
        yield Case(folder.name, "sqlite", f"sqlite:///{unpacked(folder, scratch)}", statements, workload)


def _corpora(options: argparse.Namespace, engines: Engines) -> Iterator[Case]:
    for corpus in corpora(required(CASES.parent)):
        if not options.only or any(part in corpus.name for part in options.only):
            found = opened(corpus, engines)
            yield Case(corpus.name, corpus.dialect, found.url, found.statements, corpus.statements[0])


def _run(case: Case, name: str, target: Any, table: Table, uses: IndexUse, options: argparse.Namespace) -> None:
    try:
        proposal = design(inspect(case.url, workload=case.workload), name)
        load(proposal, case.url, target, mode=LoadMode.REPLACE, check=False)
    except NestlingError as error:
        print(f"{case.label} {name}: {str(error)[:300]}", file=sys.stderr)
        return
    rewrites: frozenset[Rewrite] = NO_REWRITES if options.no_rewrites else ALL_REWRITES
    reference = (
        SqliteReference(Path(str(sa.make_url(case.url).database)))
        if case.dialect == "sqlite"
        else ServerReference(case.url, proposal.design.model, case.dialect)
    )
    for statement in case.statements:
        outcome = compare(statement, proposal, target, reference, rewrites, options.seconds)
        if outcome is None:
            continue
        if outcome.cause:
            table.causes[outcome.cause] += 1
        if outcome.verdict == "none":
            continue
        for row in constructs(statement.sql) if options.constructs else [case.label]:
            table.add(row, name, outcome)
        if outcome.verdict == "wrong":
            table.wrong.append(f"\n### {case.label} {name} {statement.name}\n{statement.sql}\n{outcome.detail}")
        if options.indexes and outcome.compiled and isinstance(reference, SqliteReference):
            uses.add(case.label, name, statement, proposal, target, reference)
        if options.verbose or outcome.seconds > 2:
            told = f"{outcome.verdict} {outcome.cause} {outcome.seconds:.2f}s"
            print(f"{case.label} {name} {statement.name}: {told}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
