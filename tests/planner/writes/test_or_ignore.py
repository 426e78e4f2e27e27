"""INSERT OR IGNORE leaves out every row that breaks NOT NULL, a CHECK or UNIQUE, and OR REPLACE takes defaults: beside SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import ConstraintError

TABLES = """
CREATE TABLE shelf (id integer PRIMARY KEY);
CREATE TABLE item (
  id integer PRIMARY KEY, shelf_id integer NOT NULL REFERENCES shelf (id), name text NOT NULL DEFAULT 'none', code text UNIQUE,
  size integer CHECK (size > 0), weight real CHECK (weight >= 0.1 AND weight < 9), note text CHECK (length(note) <= 3),
  state text CHECK (state IN ('new', 'old')), low integer, high integer, CHECK (low < high OR state = 'old'));
INSERT INTO shelf VALUES (1), (2);
INSERT INTO item (id, shelf_id, name, code) VALUES (1, 1, 'one', 'a'), (2, 1, 'two', 'b');
"""
_ONE = "INSERT OR IGNORE INTO item (id, shelf_id, name, {0}) VALUES (:id, 2, 'new', :v)"
_PAIR = "INSERT OR IGNORE INTO item (id, shelf_id, low, high, state) VALUES (:id, 2, :low, :high, :state)"
WRITES: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("INSERT OR IGNORE INTO item (id, shelf_id, name) VALUES (10, 1, NULL), (11, 1, 'ok'), (12, NULL, 'x')", {}),
    ("INSERT OR IGNORE INTO item (id, shelf_id, size) VALUES (13, 1, -1), (14, 1, 1), (15, 1, NULL), (14, 1, 9)", {}),
    ("INSERT OR IGNORE INTO item (id, shelf_id, code) VALUES (16, 1, 'a'), (1, 1, 'z'), (17, 1, 'c'), (18, 1, 'c')", {}),
    ("INSERT OR IGNORE INTO item (id, shelf_id, code, size) VALUES (19, 1, 'd', 0), (20, 1, 'd', 2)", {}),
    ("INSERT OR IGNORE INTO item (shelf_id, name) VALUES (1, 'numbered'), (1, NULL), (NULL, 'x'), (2, 'numbered')", {}),
    ("INSERT OR IGNORE INTO item (id, shelf_id, name) VALUES (:id, 1, :v)", {"id": 30, "v": None}),
    ("INSERT OR IGNORE INTO item (id, shelf_id, name) VALUES (:id, 1, :v)", {"id": 30, "v": "x"}),
    *((_ONE.format("size"), {"id": 40 + n, "v": v}) for n, v in enumerate((0, 1, None, -5, "7", "-7"))),
    *((_ONE.format("weight"), {"id": 50 + n, "v": v}) for n, v in enumerate((0.1, 0.09, 9, 8.9, None, "0.2"))),
    *((_ONE.format("note"), {"id": 60 + n, "v": v}) for n, v in enumerate(("abc", "abcd", "", None, "öäü"))),
    *((_ONE.format("state"), {"id": 70 + n, "v": v}) for n, v in enumerate(("new", "New", None))),
    *(
        (_PAIR, {"id": 80 + n, "low": low, "high": high, "state": state})
        for n, (low, high, state) in enumerate(
            ((1, 2, "new"), (2, 1, "new"), (2, 1, "old"), (None, 1, "new"), (2, 1, None), (2, None, "old"))
        )
    ),
    ("INSERT OR IGNORE INTO item (id, shelf_id, low, high) VALUES (90, 1, 1, 2), (91, 1, 2, 1), (92, 1, NULL, 1)", {}),
    ("INSERT OR IGNORE INTO item (id, shelf_id, name, size) SELECT id + 100, shelf_id, code, low FROM item", {}),
    ("INSERT OR REPLACE INTO item (id, shelf_id, name) VALUES (2, 2, NULL), (3, 2, 'three')", {}),
    ("REPLACE INTO item (id, shelf_id, name) VALUES (4, 2, NULL)", {}),
    ("INSERT OR REPLACE INTO item (id, shelf_id, name) VALUES (5, 2, nullif(:v, 'x'))", {"v": "x"}),
)  # fmt: skip
REFUSED: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("INSERT OR IGNORE INTO item (id, shelf_id) VALUES (200, 1), (201, 9)", {}),  # a foreign key is no such constraint
    ("INSERT OR REPLACE INTO item (id, shelf_id) VALUES (2, NULL)", {}),
    ("INSERT OR REPLACE INTO item (id, shelf_id, size) VALUES (2, 1, 0)", {}),
)
_READ = "SELECT * FROM item ORDER BY id"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_rows_are_sqlites(strategy: str, tmp_path: Path, database: Database[Any]) -> None:
    """One by one, and so is how many were written; what SQLite refuses whole is refused whole."""
    address = f"sqlite:///{tmp_path / 'a.db'}"
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as connection:
        connection.executescript("PRAGMA foreign_keys = ON;" + TABLES)
        proposal = pipeline.design(pipeline.inspect(address), strategy)
        pipeline.load(proposal, address, database)
        store = Store(proposal, database)
        for sql, values in WRITES:
            assert store.execute(sql, **values).affected == connection.execute(sql, dict(values)).rowcount, (
                sql,
                values,
            )
            found = [tuple(row.values()) for row in store.execute(_READ)]
            assert found == connection.execute(_READ).fetchall(), (sql, values)
        for sql, values in REFUSED:
            with pytest.raises(sqlite3.IntegrityError):
                connection.execute(sql, dict(values))
            with pytest.raises(ConstraintError):
                store.execute(sql, **values)
