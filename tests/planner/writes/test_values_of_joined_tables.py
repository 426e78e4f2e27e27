"""UPDATE … FROM hands on another table's values as a subquery does: each as SQLite converts it for the column it goes to."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import WriteError
from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.proposal import Proposal

_TABLES = """
CREATE TABLE a (id INTEGER PRIMARY KEY, num NUMERIC(10,2), real REAL, whole INTEGER, note TEXT, day DATE, other);
CREATE TABLE b (id INTEGER PRIMARY KEY, num NUMERIC(10,2), real REAL, note TEXT, other);
INSERT INTO a VALUES (1, 42, 1.5, 3, '10', '2024-01-01', 7), (2, 42.5, 2.0, 4, '2.5', '2024-01-02', '7'),
  (3, NULL, NULL, NULL, NULL, NULL, NULL), (4, 9007199254740993, 1e300, -1, 'x', '2024-02-29', 1.0);
INSERT INTO b VALUES (1, 1, 0.5, 'x', 'x'), (2, 1, 0.5, 'x', 2), (3, 1, 0.5, 'x', 3.0), (4, 2.5, 0.5, 'x', NULL)
"""
_SAID = ("a.{name}", "coalesce(a.{name}, 7)", "(SELECT c.{name} FROM a AS c WHERE c.id = a.id)")
_TARGETS, _VALUES = ("num", "real", "note", "other"), ("num", "real", "whole", "note", "day", "other")


@pytest.fixture(params=["normalized", "embedded"])
def proposal(request: pytest.FixtureRequest, tmp_path: Path, database: Database[Any]) -> Proposal:
    """Both tables, loaded."""
    with closing(sqlite3.connect(tmp_path / "t.db")) as connection:
        connection.executescript(_TABLES)
    address = f"sqlite:///{tmp_path / 't.db'}"
    proposal = pipeline.design(pipeline.inspect(address), request.param)
    pipeline.load(proposal, address, database)
    return proposal


def _updates() -> Iterator[str]:
    for target, name, said in product(_TARGETS, _VALUES, _SAID):
        yield f"UPDATE b SET {target} = {said.format(name=name)} FROM a WHERE a.id = b.id AND a.{name} IS NOT 'x'"


@pytest.mark.thorough
def test_each_value_is_what_sqlite_stores(proposal: Proposal, tmp_path: Path, database: Database[Any]) -> None:
    """Of a column of every kind into one of every kind, bare and inside other values; classes included."""
    everything = (
        "SELECT id, num, typeof(num), real, typeof(real), note, typeof(note), other, typeof(other) FROM b ORDER BY id"
    )
    store, done = Store(proposal, database), 0
    with closing(sqlite3.connect(tmp_path / "t.db", isolation_level=None)) as connection:
        for sql in _updates():
            if isinstance(pipeline.convert(proposal, sql, dialect="sqlite"), NotCompiled):
                continue
            with suppress(WriteError):  # a value of a type that the column has not: its validator refuses it
                store.execute(sql)
                connection.execute(sql)
                found = [tuple(map(repr, row.values())) for row in store.execute(everything)]
                assert found == [tuple(map(repr, row)) for row in connection.execute(everything)], sql
                done += 1
    assert done > 50
