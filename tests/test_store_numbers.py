"""A number given by a parameter: the row has it; NULL is numbered as in SQLite, by a statement of its own."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import ConstraintError, GapError
from nestling.executors.write import run_write
from nestling.ir.programs.program import CompiledWrite
from nestling.pipeline import converting

INSERT = "INSERT INTO thing VALUES (:id, :name)"


@pytest.mark.parametrize("key", ["INTEGER PRIMARY KEY", "INTEGER PRIMARY KEY AUTOINCREMENT"])
def test_a_number_or_null(key: str, tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """In any order, by one Store; the emitted program refuses NULL, and reads nothing to number a row."""
    path = tmp_path / "things.db"
    rows = [(None, "first"), (7, "given"), (None, "after it"), (3, "below"), (None, "last")]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE thing (id {key}, name TEXT NOT NULL)")
        proposal = pipeline.design(pipeline.inspect(f"sqlite:///{path}"), "normalized")
        pipeline.load(proposal, f"sqlite:///{path}", database)
        store = Store(proposal, database)
        for number, name in rows:
            store.execute(INSERT, id=number, name=name)
            connection.execute(INSERT, {"id": number, "name": name})
        expected = connection.execute("SELECT id, name FROM thing ORDER BY id").fetchall()
    found = [(row["id"], row["name"]) for row in store.execute("SELECT id, name FROM thing ORDER BY id")]
    assert found == expected == [(1, "first"), (3, "below"), (7, "given"), (8, "after it"), (9, "last")]
    write = pipeline.convert(proposal, INSERT)
    assert isinstance(write, CompiledWrite)
    assert "aggregate" not in repr(write)
    with pytest.raises(ConstraintError, match="does not allow NULL"):
        run_write(database, write, {"id": None, "name": "none"})


def test_null_once_has_nothing_compiled_anew(
    tmp_path: Path, database: Database[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A statement with NULL for a number is another one; rows that are given their numbers go on with what was compiled."""
    path = tmp_path / "things.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    proposal = pipeline.design(pipeline.inspect(f"sqlite:///{path}"), "normalized")
    pipeline.load(proposal, f"sqlite:///{path}", database)
    compiled, convert_for = list[object](), converting.convert_for

    def counted(*args: Any, **named: Any) -> Any:
        compiled.append(args[2].get("id"))
        return convert_for(*args, **named)

    monkeypatch.setattr(converting, "convert_for", counted)
    store = Store(proposal, database)
    for number in (None, 5, None, 7, 9, 11):
        store.execute(INSERT, id=number, name="x")
    assert compiled == [None, 5]
    assert sorted(each["_id"] for each in database["thing"].find()) == [1, 5, 6, 7, 9, 11]


def test_null_beside_a_parameter_that_has_to_be_a_constant(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """The row is numbered, also after the same statement had a value that cannot be converted."""
    path = tmp_path / "things.db"
    insert = "INSERT INTO thing (id, name) VALUES (:id, strftime(:f, '2024-01-01'))"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
        proposal = pipeline.design(pipeline.inspect(f"sqlite:///{path}"), "normalized")
        pipeline.load(proposal, f"sqlite:///{path}", database)
        store = Store(proposal, database)
        with pytest.raises(GapError):
            store.execute(insert, id=None, f="%J")
        for given in ({"id": None, "f": "%Y"}, {"id": 5, "f": "%m"}, {"id": None, "f": "%Y-%m"}):
            store.execute(insert, given)
            connection.execute(insert, given)
        expected = connection.execute("SELECT id, name FROM thing ORDER BY id").fetchall()
    found = [(row["id"], row["name"]) for row in store.execute("SELECT id, name FROM thing ORDER BY id")]
    assert found == expected == [(1, "2024"), (5, "01"), (6, "2024-01")]
