"""Columns of one name in a result."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from pymongo.database import Database

from nestling import Store, pipeline


def test_later_columns_of_one_name_get_numbers(tmp_path: Path, database: Database[Any]) -> None:
    """No value of a row is lost, as `docs/statements/running.md` says."""
    with closing(sqlite3.connect(tmp_path / "a.db")) as source, source:
        source.executescript(
            "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO author VALUES (1, 'Ann');"
            "CREATE TABLE book (id INTEGER PRIMARY KEY, name TEXT, author INT REFERENCES author);"
            "INSERT INTO book VALUES (7, 'B', 1)"
        )
    proposal = pipeline.design(tmp_path / "a.db", "normalized")
    pipeline.load(proposal, tmp_path / "a.db", database)
    store = Store(proposal, database)
    (row,) = store.execute("SELECT * FROM book JOIN author ON author.id = book.author")
    assert dict(row) == {"id": 7, "name": "B", "author": 1, "id_2": 1, "name_2": "Ann"}
    (row,) = store.execute("SELECT b.id, a.id, a.id AS x, b.id FROM book b JOIN author a ON a.id = b.author")
    assert dict(row) == {"id": 7, "id_2": 1, "x": 1, "id_3": 7}
