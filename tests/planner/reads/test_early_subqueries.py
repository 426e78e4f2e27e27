"""A condition that reads another table is asked of the rows it is about before others are joined to these."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal
from nestling.pipeline import convert

ROWS = """
CREATE TABLE building (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE lease (id INTEGER PRIMARY KEY, building_id INTEGER NOT NULL REFERENCES building);
CREATE TABLE ticket (id INTEGER PRIMARY KEY, building_id INTEGER NOT NULL REFERENCES building ON DELETE CASCADE);
CREATE TABLE work_order (id INTEGER PRIMARY KEY, ticket_id INTEGER NOT NULL REFERENCES ticket ON DELETE CASCADE);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12) INSERT INTO building SELECT i, 'b' FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO lease SELECT i, 1 + i % 9 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO ticket SELECT i, 1 + i % 12 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
  INSERT INTO work_order SELECT i, 1 + i % 300 FROM n;
"""
DELETE = "DELETE FROM building WHERE NOT EXISTS (SELECT 1 FROM lease l WHERE l.building_id = building.id)"
TABLES = ("building", "lease", "ticket", "work_order")


@pytest.fixture
def houses(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "houses.db")) as connection:
        connection.executescript(ROWS)
    return tmp_path / "houses.db"


def _designed(houses: Path, strategy: str) -> Proposal:
    return pipeline.design(pipeline.inspect(houses), strategy)


def test_descendants_are_read_of_the_rows_that_go(houses: Path) -> None:
    """Each of a cascade's reads begins at the few parents, and asks the condition before it looks anything else up."""
    found = convert(_designed(houses, "normalized"), DELETE)
    assert isinstance(found, CompiledWrite)
    paths = [part for part in found.access_path.split("\nas ") if part.startswith(("as ", "ticket", "work_order"))]
    assert len(paths) >= 2
    for path in paths:
        lines = [line.strip() for line in path.splitlines() if line.startswith("  ") and not line.startswith("    ")]
        assert lines[0] == "read the documents of `building`"
        assert "keeping rows without a match" in lines[1]


@pytest.mark.parametrize("strategy", ["normalized", "embedded", "tree"])
def test_the_same_rows_go(strategy: str, houses: Path, database: Database[Any]) -> None:
    """As in SQLite, with all that follows by cascades."""
    proposal = _designed(houses, strategy)
    pipeline.load(proposal, houses, database)
    store = Store(proposal, database)
    with closing(sqlite3.connect(houses)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        assert store.execute(DELETE).affected == connection.execute(DELETE).rowcount == 3
        for table in TABLES:
            rows = [tuple(row.values()) for row in store.execute(f"SELECT * FROM {table} ORDER BY id")]
            assert rows == connection.execute(f"SELECT * FROM {table} ORDER BY id").fetchall()
