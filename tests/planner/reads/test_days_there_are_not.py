"""Days and hours that no calendar has, which SQLite shows as they are written: the statement fails, and says which."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import NestlingError
from nestling.ir.reading import Reading

TEXTS = ("2024-02-30", "2023-02-29 10:00", "2024-01-01 24:00:00+01:00", "23:59:59.9996")


@pytest.fixture
def reading(tmp_path: Path) -> Reading:
    """A table of notes, one of each of the texts."""
    with closing(sqlite3.connect(tmp_path / "notes.db")) as connection, connection:
        connection.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, day TEXT NOT NULL)")
        connection.executemany("INSERT INTO note VALUES (?, ?)", enumerate(TEXTS))
    return pipeline.inspect(f"sqlite:///{tmp_path / 'notes.db'}")


def test_the_text_is_named(reading: Reading, tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """That of a parameter or a row, as it was given: the next day there is would not help to find it."""
    proposal = pipeline.design(reading, "normalized")
    pipeline.load(proposal, f"sqlite:///{tmp_path / 'notes.db'}", database)
    store = Store(proposal, database)
    for number, text in enumerate(TEXTS):
        for sql, given in (("SELECT date(:x)", text), ("SELECT date(day) FROM note WHERE id = :x", number)):
            with pytest.raises(NestlingError) as caught:
                store.execute(sql, x=given)
            assert f"no such day or hour: {text}" in str(caught.value)
