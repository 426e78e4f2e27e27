"""Rows asked for by several compound keys, as ORMs fetch them, are found by the index on `_id`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.ir.programs.compiled import CompiledRead, bind
from nestling.ir.proposal import Proposal

VALUES = {"w": 1, "p": 2, "l": 9}
WHOLE = "(place = :w AND item = :p AND lot = :l) OR (place = 2 AND item = 4 AND lot = 11)"
ROWS = "(place, item, lot) IN ((:w, :p, :l), (2, 4, 11), (3, 3, 3)) AND pieces > 2"
FIRST = "(place = :w AND item = :p) OR (place = 2 AND item > 5 AND lot = :l)"
NOT_ALL = "(place = :w AND item = :p AND lot = :l) OR pieces = 4"
NEITHER = "NOT ((place = :w AND item = :p) OR (place = 2 AND lot > :l))"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Proposal]:
    """Two thousand rows whose key has three parts."""
    path = tmp_path_factory.mktemp("stock") / "stock.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "CREATE TABLE stock (place INT, item INT, lot INT, pieces INT, PRIMARY KEY (place, item, lot))"
        )
        rows = ((n % 4, n % 7, n, n % 5) for n in range(2_000))
        connection.executemany("INSERT INTO stock VALUES (?, ?, ?, ?)", rows)
    return path, pipeline.design(path, "normalized")


@pytest.mark.parametrize(("where", "most"), [(WHOLE, 2), (ROWS, 3), (FIRST, 220), (NOT_ALL, 2_000), (NEITHER, 2_000)])
def test_keys_are_sought(
    where: str, most: int, made: tuple[Path, Proposal], database: Database[dict[str, Any]]
) -> None:
    """No document is read that has none of the keys, or none of their first parts; the rows are the source's."""
    path, proposal = made
    pipeline.load(proposal, path, database)
    sql = f"SELECT lot, pieces FROM stock WHERE {where} ORDER BY lot"
    with closing(sqlite3.connect(path)) as connection:
        theirs = connection.execute(sql, VALUES).fetchall()
    assert [tuple(row.values()) for row in Store(proposal, database).execute(sql, VALUES).rows] == theirs
    read = pipeline.convert(proposal, sql)
    assert isinstance(read, CompiledRead)
    filters = bind(read, {name: VALUES[name] for name in read.parameters}).filter
    told = database.command("explain", {"find": read.collection, "filter": filters}, verbosity="executionStats")
    assert told["executionStats"]["totalDocsExamined"] <= most


def test_rows_are_changed_so_too(made: tuple[Path, Proposal], database: Database[dict[str, Any]]) -> None:
    """What is deleted is what the source deletes."""
    path, proposal = made
    pipeline.load(proposal, path, database)
    store = Store(proposal, database)
    with closing(sqlite3.connect(path)) as connection:
        for sql in (f"UPDATE stock SET pieces = 99 WHERE {ROWS}", f"DELETE FROM stock WHERE {FIRST}"):
            assert store.execute(sql, VALUES).affected == connection.execute(sql, VALUES).rowcount > 0
        left = "SELECT count(*), sum(pieces) FROM stock"
        (ours,) = store.execute(left).rows
        assert tuple(ours.values()) == connection.execute(left).fetchone()
