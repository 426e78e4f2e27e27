"""What `nestling check` offers for references to rows that are gone: nothing that makes more of them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from tests.cli.commands import nestling

SCHEMA = """
CREATE TABLE depot (id INTEGER PRIMARY KEY, hub_id INTEGER REFERENCES depot ON DELETE SET NULL);
CREATE TABLE driver (id INTEGER PRIMARY KEY, depot_id INTEGER NOT NULL REFERENCES depot);
CREATE TABLE trip (id INTEGER PRIMARY KEY, driver_id INTEGER NOT NULL REFERENCES driver);
INSERT INTO depot VALUES (1, NULL), (2, 1), (3, 1);
INSERT INTO driver VALUES (1, 2), (2, 2), (3, 3);
INSERT INTO trip VALUES (1, 1), (2, 2), (3, 3);
"""


@pytest.fixture
def loaded(tmp_path: Path, target: str) -> Path:
    """A folder with the design of depots, drivers and trips, loaded."""
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        connection.executescript(SCHEMA)
    made = nestling("design", "sqlite:///s.db", "--strategy", "normalized", "-o", "design.yaml", cwd=tmp_path)
    done = nestling("load", "design.yaml", "--from", "sqlite:///s.db", "--to", target, cwd=tmp_path)
    assert (made.code, done.code) == (0, 0), done.err
    return tmp_path


def test_an_optional_reference_is_cleared(loaded: Path, target: str, database: Database[Any]) -> None:
    """The row stays, and with it all that refers to it."""
    database["depot"].update_one({"_id": 2}, {"$set": {"hub_id": 777}})
    done = nestling("check", "design.yaml", target, cwd=loaded)
    assert "restore the row of `depot`, or clear the reference" in done.out
    assert 'db.getCollection("depot").updateMany({_id: {$in: [2]}}, {$unset: {hub_id: ""}})' in done.out
    assert "deleteMany" not in done.out
    database["depot"].update_many({"_id": {"$in": [2]}}, {"$unset": {"hub_id": ""}})
    assert nestling("check", "design.yaml", target, cwd=loaded).code == 0


def test_a_row_that_needs_its_parent_is_deleted_with_a_word(loaded: Path, target: str, database: Database[Any]) -> None:
    """What refers to such rows is named."""
    database["depot"].delete_one({"_id": 3})
    done = nestling("check", "design.yaml", target, cwd=loaded)
    assert 'db.getCollection("driver").deleteMany({_id: {$in: [3]}}) // rows of `trip` may refer to them' in done.out
