"""Compiled pipelines against those an expert writes: TPC-H's 22 questions and statements of the shared workload files.

    .venv/bin/python -m benchmarks.mql_quality [--design NAME …] [--runs N] [--only PART …]

Both pipelines run on the same collections in pairs, quick ones more often; the ratio is the median over the pairs, so that what
else the machine does meets both. Their answers must be the SQL engine's. Experts'
pipelines are for the normalized design (`benchmarks/tpch/experts.py`, `benchmarks/workload_experts.py`); on another design
the expert's are left out and the milliseconds alone are shown. Exits 1 when an answer is wrong or the median ratio is above 1.1.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pymongo
import sqlalchemy as sa
from pymongo.errors import PyMongoError

from benchmarks.answers import Reference, ServerReference, SqliteReference, Statement, difference
from benchmarks.cases import CASES, unpacked
from benchmarks.corpora import Engines
from benchmarks.tpch.data import tables
from benchmarks.tpch.experts import EXPERTS as TPCH_EXPERTS
from benchmarks.tpch.experts import Pipeline
from benchmarks.workload_experts import EXPERTS as WORKLOAD_EXPERTS
from nestling.common.connection import connect
from nestling.common.errors import NestlingError
from nestling.common.server import open_server
from nestling.emitters.mql.read import compiled_read
from nestling.executors.drive import AnswerShape, Likeness, StatementAnswer, likeness
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import CompiledRead, Operation, bind
from nestling.ir.value_forms.shown_values import shown_rows
from nestling.pipeline import LoadMode, design, inspect, load
from nestling.pipeline.answer_shape import shape_of
from nestling.pipeline.converting import default_price
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate
from nestling.sources.statements.blocks import blocks

TPCH = Path(__file__).parent / "tpch"
TARGET = 1.1
MOST_SECONDS = 60.0
MOST_RUNS, ENOUGH_SECONDS = 41, 1.5
HEAD = "| statement | design | rows | nestling ms | expert ms | ratio | answers |\n|---|---|---|---|---|---|---|"


@dataclass(frozen=True)
class Yard:
    """A database with statements, and the expert's pipeline for some of them, by the statement's name."""

    label: str
    dialect: str
    url: str
    workload: Path
    experts: dict[str, tuple[str, Pipeline]]


def main() -> int:
    """Run, print; 1 when wrong or too slow."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--design", action="append", choices=("normalized", "embedded", "tree"))
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--only", action="append", help="statements whose name has this in it")
    options = parser.parse_args()
    ratios: list[float] = []
    wrong = 0
    print(HEAD)
    with ExitStack() as stack:
        server = stack.enter_context(open_server())
        client = stack.enter_context(connect(server.uri))
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        engines = stack.enter_context(Engines(scratch))
        for yard in _yards(engines, scratch):
            for name in options.design or ("normalized", "embedded"):
                for cells, ratio, right in _measured(yard, name, client[f"quality_{name}"], options):
                    print("| " + " | ".join(cells) + " |", flush=True)
                    ratios += [] if ratio is None else [ratio]
                    wrong += not right
                client.drop_database(f"quality_{name}")
    if ratios:
        print(f"\nmedian ratio {statistics.median(ratios):.2f} over {len(ratios)} statements, worst {max(ratios):.2f}")
    return 1 if wrong or (ratios and statistics.median(ratios) > TARGET) else 0


def _yards(engines: Engines, scratch: Path) -> Iterator[Yard]:
    url = engines.fresh("tpch", "postgresql")
    _fill(url)
    queries = TPCH / "queries.sql"
    names = [block.name for block in blocks(queries.read_text(encoding="utf-8"), "postgresql")]
    yield Yard("tpch", "postgresql", url, queries, {name: TPCH_EXPERTS[name.split("_")[0]]() for name in names})
    for label, experts in WORKLOAD_EXPERTS.items():
        folder = CASES / label
        if folder.is_dir():
            yield Yard(label, "sqlite", f"sqlite:///{unpacked(folder, scratch)}", folder / "workload.sql", experts)


def _fill(url: str) -> None:
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    schema = sa.MetaData()
    with engine.begin() as connection:
        for statement in (TPCH / "schema.sql").read_text(encoding="utf-8").split(";"):
            if statement.strip():
                connection.exec_driver_sql(statement)
        schema.reflect(connection)
        for name, rows in tables():
            columns = [column.name for column in schema.tables[name].columns]
            connection.execute(schema.tables[name].insert(), [dict(zip(columns, row, strict=True)) for row in rows])


def _measured(
    yard: Yard, name: str, database: Any, options: argparse.Namespace
) -> Iterator[tuple[tuple[str, ...], float | None, bool]]:
    proposal = design(inspect(yard.url, workload=yard.workload), name)
    load(proposal, yard.url, database, mode=LoadMode.REPLACE, check=False)
    model = proposal.design.model
    reference: Reference = (
        SqliteReference(Path(str(sa.make_url(yard.url).database)))
        if yard.dialect == "sqlite"
        else ServerReference(yard.url, model, yard.dialect)
    )
    for block in blocks(yard.workload.read_text(encoding="utf-8"), yard.dialect):
        if block.name not in yard.experts or (options.only and not any(part in block.name for part in options.only)):
            continue
        statement = Statement(block.name, block.sql, block.samples)
        try:
            query = translate(block.sql, model, yard.dialect)
            plan = plan_read(query, proposal.design, statistics=proposal.statistics, price=default_price)  # type: ignore[arg-type]
            read = compiled_read(plan, name=block.name, sql=block.sql)
        except NestlingError as error:
            yield (f"{yard.label} {block.name}", name, "", "", "", "", f"not compiled: {str(error)[:60]}"), None, True
            continue
        samples = statement.samples if isinstance(statement.samples, dict) else {}
        mine = bind(read, {key: samples[key] for key in read.parameters})
        rivals = [mine]
        if name == "normalized":
            collection, pipeline = yard.experts[block.name]
            rivals.append(replace(mine, operation=Operation.AGGREGATE, collection=collection, pipeline=tuple(pipeline)))
        fixed = shape_of(block.sql, model, yard.dialect)
        yield _compared(
            f"{yard.label} {block.name}", name, rivals, statement, samples, reference, fixed, database, options.runs
        )


def _compared(
    label: str,
    name: str,
    rivals: list[CompiledRead],
    statement: Statement,
    samples: dict[str, object],
    reference: Reference,
    fixed: AnswerShape,
    database: Any,
    runs: int,
) -> tuple[tuple[str, ...], float | None, bool]:
    theirs = reference.execute(statement.sql, samples)
    times: list[list[float]] = [[] for _ in rivals]
    said = []
    try:
        with pymongo.timeout(MOST_SECONDS):
            for rival in rivals:
                found = [shown_rows(rows, rival.columns) for rows in ([*run_read(database, rival)], theirs)]
                mine, wanted = map(StatementAnswer, found)
                ours, others = difference(*found)
                is_same = likeness(mine, wanted, fixed) is Likeness.EQUAL
                said.append("same" if is_same else f"DIFFERENT {ours[:1]} {others[:1]}")
            for number in range(MOST_RUNS):
                if number >= runs and sum(map(sum, times)) > ENOUGH_SECONDS:
                    break
                for rival, taken in list(zip(rivals, times, strict=True))[:: 1 if number % 2 else -1]:
                    began = time.perf_counter()
                    for _ in run_read(database, rival):
                        pass
                    taken.append(time.perf_counter() - began)
    except PyMongoError as error:
        return (label, name, "", "", "", "", f"{type(error).__name__}: {str(error)[:60]}"), None, error.timeout
    medians = [1e3 * statistics.median(taken) for taken in times]
    pairs = [one / other for one, other in zip(times[0], times[-1], strict=True)]
    ratio = statistics.median(pairs) if len(rivals) > 1 else None
    shown = [f"{value:.1f}" for value in medians] + [""] * (2 - len(medians))
    cells = (label, name, str(len(theirs)), *shown, "" if ratio is None else f"{ratio:.2f}", ", ".join(said))
    return cells, ratio, all(each == "same" for each in said)


if __name__ == "__main__":
    sys.exit(main())
