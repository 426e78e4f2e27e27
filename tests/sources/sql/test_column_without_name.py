"""A column whose name is empty is a column: SQLite takes it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from pymongo.database import Database

from nestling import pipeline


def test_a_column_without_a_name_is_measured_and_loaded(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Its values are counted like any other's, and come back."""
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        connection.execute('CREATE TABLE t (id INTEGER PRIMARY KEY, "" TEXT, b INT)')
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", [(1, "x", 2), (2, None, 3)])
    address = f"sqlite:///{tmp_path / 'a.db'}"
    reading = pipeline.inspect(address)
    known = reading.statistics.entity("t").attribute("")
    assert known.null_share is not None
    assert known.null_share.value == 0.5
    loaded = pipeline.load(pipeline.design(reading), address, database)
    assert loaded.verified is not None
    assert loaded.verified.equal, loaded.verified.differences
