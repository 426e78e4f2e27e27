"""Joins and subqueries of many rows with and without the lookups of the server's faster engine, beside SQLite.

`python -m benchmarks.faster_lookups [--runs N]` prints a Markdown table: each statement on the normalized design of two tables
with a foreign key and one without, its fastest run with the rewrite `side by side`, without it, and in SQLite.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

from pymongo import MongoClient
from pymongo.database import Database

from nestling.common.server import start_server
from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.statements.algebra import Query
from nestling.pipeline import design, inspect, load
from nestling.planner.reads import ALL_REWRITES, Rewrite, plan_read
from nestling.planner.sql import translate

TABLES = """
CREATE TABLE parent (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, code INTEGER, name TEXT);
CREATE TABLE child (id INTEGER PRIMARY KEY, parent_id INTEGER NOT NULL REFERENCES parent (id), amount INTEGER, name TEXT);
CREATE TABLE rate (id INTEGER PRIMARY KEY, code INTEGER, name TEXT);
CREATE INDEX of_kind ON parent (kind);
CREATE INDEX of_parent ON child (parent_id);
"""
PARENTS, CHILDREN, RATES, CODES = 4_000, 12_000, 1_500, 900
BY_INDEX = (
    "SELECT p.name, c.amount FROM parent p JOIN child c ON c.parent_id = p.id WHERE p.kind = 7",
    "SELECT p.name, c.amount FROM parent p LEFT JOIN child c ON c.parent_id = p.id",
    "SELECT p.name, (SELECT COUNT(*) FROM child c WHERE c.parent_id = p.id) FROM parent p",
    "SELECT p.name FROM parent p WHERE NOT EXISTS (SELECT 1 FROM child c WHERE c.parent_id = p.id AND c.amount > 50)",
    "SELECT p.kind, SUM(c.amount) FROM child c JOIN parent p ON p.id = c.parent_id GROUP BY p.kind",
)
WITHOUT_INDEX = (
    "SELECT p.name, r.name FROM parent p JOIN rate r ON r.code = p.code WHERE p.kind = 7",
    "SELECT p.name, r.name FROM parent p LEFT JOIN rate r ON r.code = p.code",
    "SELECT COUNT(*) FROM parent a JOIN parent b ON a.code = b.code AND a.id < b.id",
    "SELECT r.name FROM rate r WHERE r.id = (SELECT MAX(s.id) FROM rate s WHERE s.code = r.code)",
)


def main() -> int:
    """Print the times and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    print("| statement | ms | without ms | ratio | SQLite ms |\n|---|---|---|---|---|")
    with (
        tempfile.TemporaryDirectory() as folder,
        start_server() as server,
        MongoClient[dict[str, Any]](server.uri) as client,
        closing(sqlite3.connect(Path(folder) / "rates.db")) as source,
    ):
        _fill(source)
        reading = inspect(f"sqlite:///{folder}/rates.db")
        made = design(reading, "normalized")
        load(made, f"sqlite:///{folder}/rates.db", client["rates"])
        for sql in (*BY_INDEX, *WITHOUT_INDEX):
            query, seconds = translate(sql, made.design.model, "sqlite"), list[float]()
            assert isinstance(query, Query)
            for rewrites in (ALL_REWRITES, ALL_REWRITES - {Rewrite.SIDE_BY_SIDE}):
                plan = plan_read(query, made.design, rewrites=rewrites, statistics=reading.statistics)
                read = compiled_read(plan, name="statement", sql=sql)
                seconds.append(_fastest(partial(_answer, client["rates"], read), runs))
            seconds.append(_fastest(partial(_fetched, source, sql), runs))
            ours, without, sqlites = (f"{1000 * each:,.1f}" for each in seconds)
            print(f"| `{sql}` | {ours} | {without} | {seconds[1] / seconds[0]:.1f} | {sqlites} |", flush=True)
    return 0


def _fill(source: sqlite3.Connection) -> None:
    chance = Random(1)
    source.executescript(TABLES)
    parents = ((n, n % 100, chance.randrange(CODES), "x" * 40) for n in range(PARENTS))
    source.executemany("INSERT INTO parent VALUES (?, ?, ?, ?)", parents)
    children = ((n, chance.randrange(PARENTS), chance.randrange(100), "y" * 60) for n in range(CHILDREN))
    source.executemany("INSERT INTO child VALUES (?, ?, ?, ?)", children)
    source.executemany(
        "INSERT INTO rate VALUES (?, ?, ?)", ((n, chance.randrange(CODES), "z" * 20) for n in range(RATES))
    )
    source.commit()


def _answer(database: Database[dict[str, Any]], read: CompiledRead) -> object:
    return list(run_read(database, read, {}))


def _fetched(source: sqlite3.Connection, sql: str) -> object:
    return source.execute(sql).fetchall()


def _fastest(run: Callable[[], object], runs: int) -> float:
    seconds = []
    for _ in range(runs):
        began = perf_counter()
        run()
        seconds.append(perf_counter() - began)
    return min(seconds)


if __name__ == "__main__":
    sys.exit(main())
