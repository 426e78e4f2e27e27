"""NaN given for a parameter: NULL in SQLite, whose drivers bind it so, by `Store` and by the module that is written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from math import isnan, nan
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import ConstraintError
from nestling.emitters.python_code import module
from nestling.ir.proposal import Proposal
from tests.planner.sql.gaps_of_dialects import table_of

TABLE = "CREATE TABLE thing (id INTEGER PRIMARY KEY, r REAL, n REAL NOT NULL, t TEXT, i INTEGER, x, m NUMERIC)"
WRITES = (
    *(f"UPDATE thing SET {column} = :x" for column in ("r", "t", "i", "x", "m")),
    "UPDATE thing SET r = coalesce(:x, 9)",
    "INSERT INTO thing (id, n, r) VALUES (:x, 3, 4)",
)
READS = (
    *("SELECT :x IS NULL AS b", "SELECT coalesce(:x, 7) AS b", "SELECT :x + 1 AS b", "SELECT typeof(:x) AS b"),
    *(f"SELECT id FROM thing WHERE r {sign} :x" for sign in ("=", ">", "<>", "IS", "IS NOT")),
    *(f"SELECT id FROM thing WHERE {text}" for text in ("t = :x", "t LIKE :x", "x = :x", "coalesce(:x, r) = r")),
)
EVERY = "SELECT * FROM thing ORDER BY id"


@pytest.fixture
def source(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A table of things in SQLite."""
    with closing(sqlite3.connect(tmp_path / "things.db")) as connection:
        connection.execute(TABLE)
        connection.execute("INSERT INTO thing VALUES (1, 1.5, 2.5, 'a', 3, 'b', 4.5)")
        yield connection


@pytest.fixture
def proposal(source: sqlite3.Connection, tmp_path: Path, database: Database[dict[str, Any]]) -> Proposal:
    """The design of it, loaded."""
    source.commit()
    address = f"sqlite:///{tmp_path / 'things.db'}"
    found = pipeline.design(pipeline.inspect(address), "normalized")
    pipeline.load(found, address, database)
    return found


def test_it_is_null_in_sqlite(
    proposal: Proposal, source: sqlite3.Connection, database: Database[dict[str, Any]]
) -> None:
    """In what is written and asked, also where the database then makes a number."""
    store = Store(proposal, database)
    for sql in READS:
        assert [tuple(row.values()) for row in store.execute(sql, x=nan)] == source.execute(
            sql, {"x": nan}
        ).fetchall(), sql
    for sql in WRITES:
        store.execute(sql, x=nan)
        source.execute(sql, {"x": nan})
        assert [tuple(row.values()) for row in store.execute(EVERY)] == source.execute(EVERY).fetchall(), sql
    assert list(store.execute("SELECT id FROM thing WHERE id NOT IN :l", l=[nan, 5])) == []
    for sql in ("UPDATE thing SET n = :x", "INSERT INTO thing (n) VALUES (:x)"):
        with pytest.raises(ConstraintError, match="does not allow NULL"):
            store.execute(sql, x=nan)


def test_it_is_null_in_the_module(
    proposal: Proposal, source: sqlite3.Connection, database: Database[dict[str, Any]]
) -> None:
    """In the functions of reads and writes."""
    for sql in (*READS, *WRITES[:-1]):
        there = source.execute(sql, {"x": nan}).fetchall()
        found = _written(proposal, sql)(database, x=nan)
        if sql in READS:
            assert [tuple(row.values()) for row in found] == there, sql
    assert [tuple(row.values()) for row in Store(proposal, database).execute(EVERY)] == source.execute(EVERY).fetchall()
    with pytest.raises(ValueError, match="n is NULL"):
        _written(proposal, "UPDATE thing SET n = :x")(database, x=nan)


@pytest.mark.parametrize(("dialect", "strict"), [("postgresql", False), ("sqlite", True)])
def test_elsewhere_it_is_nan(dialect: str, strict: bool, database: Database[dict[str, Any]]) -> None:
    """In PostgreSQL, and where the model has the types of MongoDB."""
    proposal = table_of(dialect, {"id": "integer", "r": "float as nan"})
    model = replace(proposal.design.model, strict_types=strict)
    proposal = replace(proposal, design=replace(proposal.design, model=model))
    database.create_collection("item")
    Store(proposal, database).execute("INSERT INTO item (id, r) VALUES (1, :x)", x=nan)
    _written(proposal, "INSERT INTO item (id, r) VALUES (2, :x)")(database, x=nan)
    assert [isnan(row["r"]) for row in database["item"].find()] == [True, True]


def _written(proposal: Proposal, sql: str) -> Any:
    """The statement's function in a module that is written."""
    space: dict[str, Any] = {}
    exec(compile(module([pipeline.convert(proposal, sql, name="asked")]), "queries.py", "exec"), space)
    return space["asked"]
