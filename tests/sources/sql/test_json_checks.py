"""Texts of SQLite that a CHECK says are JSON, as Django's `JSONField` is: from a file to MongoDB and back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import WorkloadError
from nestling.store import Store

TABLE = """CREATE TABLE item (id integer PRIMARY KEY, "data" text NULL CHECK ((JSON_VALID("data") OR "data" IS NULL)),
  more text NOT NULL DEFAULT '{}' CHECK ((JSON_VALID("more") OR "more" IS NULL)));"""
TEXTS = [
    None, '{"a": 1, "b": [1, 2]}', ' {"b":2,"a" : 1.0} ', "[1, 2.50, 1e400, 123456789012345678901234567890]", '"text"', "null",
    "5", "1.50", "true", "[]", '{"a":1,"a":2}', '{"$x": 1}', '{"a.b": 1, "": 2}', '{"x": "\\ud800"}', '{"\\u0000": "\\u0000"}',
]  # fmt: skip
"""Also what no document keeps as it is: keys that are there twice, half of a character, numbers beyond a double."""
FOUND = [("id", "integer"), ("data", "json as checked"), ("more", "json as checked")]


def made(path: Path, *more: str) -> str:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(TABLE)
        connection.executemany("INSERT INTO item (id, data) VALUES (?, ?)", enumerate(TEXTS))
        for statement in more:
            connection.execute(statement)
    return f"sqlite:///{path}"


def types_in(source: str | Path) -> list[tuple[str, str]]:
    return [(each.name, str(each.type)) for each in pipeline.inspect(source).model.entity("item").attributes]


def test_there_and_back(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Rows load and compare equal, whatever JSON their texts say; the CHECK is there again in what is unloaded."""
    (tmp_path / "schema.sql").write_text(TABLE)
    assert types_in(tmp_path / "schema.sql") == FOUND
    address, back = made(tmp_path / "a.db"), f"sqlite:///{tmp_path / 'b.db'}"
    assert types_in(address) == FOUND
    reading = pipeline.inspect(address)
    assert [note for note in reading.notes if "CHECK" in note] == []
    proposal = pipeline.design(reading, "normalized")
    loaded = pipeline.load(proposal, address, database)
    assert loaded.verified is not None
    assert loaded.verified.equal, loaded.verified.differences
    pipeline.unload(proposal, back, database)
    assert types_in(back) == FOUND
    assert pipeline.verify(proposal, back, database).equal
    with closing(sqlite3.connect(tmp_path / "b.db")) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute("INSERT INTO item (id, data) VALUES (99, 'nope')")


def test_writes_and_reads(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """A write takes what is JSON, of a dict or a text, and refuses the rest as SQLite does."""
    address = made(tmp_path / "a.db")
    proposal = pipeline.design(pipeline.inspect(address), "normalized")
    pipeline.load(proposal, address, database)
    store = Store(proposal, database)
    update = "UPDATE item SET data = :data WHERE id = 1"
    for refused in ("nope", "{'a': 1}", ""):
        with closing(sqlite3.connect(tmp_path / "a.db")) as connection, pytest.raises(sqlite3.IntegrityError):
            connection.execute(update, {"data": refused})
        with pytest.raises(WorkloadError, match="is not JSON that can be stored"):
            store.execute(update, data=refused)
    with pytest.raises(WorkloadError, match="'nope' is not JSON that can be stored"):
        store.execute("UPDATE item SET data = 'nope' WHERE id = 1")
    for given, kept in (({"q": [1]}, {"q": [1]}), ('{"q": 3}', {"q": 3}), (5, 5), ('"x"', "x"), (None, None)):
        store.execute(update, data=given)
        assert store.execute("SELECT data FROM item WHERE id = 1")[0] == {"data": kept}
    store.execute("INSERT INTO item (id, data) VALUES (50, :data)", data={"q": "lamp", "r": {"s": 2}})
    asked = store.execute("SELECT data->>'$.q' AS q, json_extract(data, '$.r.s') AS s, more FROM item WHERE id = 50")
    assert list(asked) == [{"q": "lamp", "s": 2, "more": {}}]


def test_rows_that_break_it_are_told(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """SQLite can be told not to look; then the column is JSON as far as it is, and takes any text."""
    broken = ("PRAGMA ignore_check_constraints = ON", "UPDATE item SET data = 'nope' WHERE id = 1")
    address = made(tmp_path / "a.db", *broken)
    reading = pipeline.inspect(address)
    assert types_in(address) == [("id", "integer"), ("data", "json"), ("more", "json as checked")]
    assert "the CHECK that `item.data` is JSON is left out: violated by 1 row" in reading.notes
    loaded = pipeline.load(pipeline.design(reading, "normalized"), address, database)
    assert loaded.verified is not None
    assert loaded.verified.equal
