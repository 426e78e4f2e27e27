"""SQLite's CURRENT_TIMESTAMP has whole seconds: beside moments of milliseconds it is refused before anything is sent."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import GapError
from nestling.ir.proposal import Proposal

TABLE = """CREATE TABLE project (id INTEGER PRIMARY KEY, name TEXT, day DATE,
    created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, seen_at DATETIME DEFAULT CURRENT_TIMESTAMP)"""
ROW = (1, "a", "2024-01-01", "2024-01-01 10:00:00.250", "2024-01-01 10:00:00")
REFUSED = (
    "INSERT INTO project (id, name) VALUES (2, 'n')",
    "UPDATE project SET created_at = CURRENT_TIMESTAMP",
    "UPDATE project SET created_at = datetime('now')",
    "UPDATE project SET created_at = datetime('now', '-1 day')",
    "UPDATE project SET created_at = CASE WHEN id > 5 THEN created_at ELSE datetime(created_at) END",
)
OTHERS = (
    (
        "UPDATE project SET seen_at = strftime('%Y-%m-%d %H:%M:%f', 'now')",
        "`seen_at` holds timestamps of whole seconds",
    ),
    ("UPDATE project SET day = CURRENT_TIMESTAMP", "`day` holds days"),
)
TAKEN = (
    "INSERT INTO project (id, created_at) VALUES (2, strftime('%Y-%m-%d %H:%M:%f', '2024-05-06 07:08:09.5'))",
    "UPDATE project SET created_at = strftime('%Y-%m-%d %H:%M:%f', created_at, '+1 day'), seen_at = datetime('2024-02-03')",
    "UPDATE project SET day = date('2024-02-03'), created_at = '2024-01-01 10:00:00.125' WHERE id = 1",
)
ALL = "SELECT id, name, day, created_at, seen_at FROM project WHERE id = 1"


@pytest.fixture
def shop(tmp_path: Path, database: Database[dict[str, Any]]) -> Proposal:
    """A project, loaded."""
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection, connection:
        connection.execute(TABLE)
        connection.execute("INSERT INTO project VALUES (?, ?, ?, ?, ?)", ROW)
    address = f"sqlite:///{tmp_path / 'shop.db'}"
    proposal = pipeline.design(pipeline.inspect(address), "normalized")
    pipeline.load(proposal, address, database)
    return proposal


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sql", REFUSED)
def test_whole_seconds_are_refused(sql: str, shop: Proposal, database: Database[dict[str, Any]]) -> None:
    """The gap names the attribute, what it holds, what it would get, and what to write."""
    before = list(database["project"].find())
    with pytest.raises(GapError) as caught:
        Store(shop, database).execute(sql)
    said = str(caught.value)
    assert "`created_at` holds timestamps of milliseconds" in said
    assert "gives whole seconds" in said
    assert "strftime('%Y-%m-%d %H:%M:%f', 'now')" in said
    assert list(database["project"].find()) == before


@pytest.mark.parametrize(("sql", "said"), OTHERS)
def test_so_are_other_forms(sql: str, said: str, shop: Proposal, database: Database[dict[str, Any]]) -> None:
    """Milliseconds among whole seconds, and moments among days."""
    with pytest.raises(GapError, match=said):
        Store(shop, database).execute(sql)


def test_the_same_form_is_taken(shop: Proposal, tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """And is what SQLite stores."""
    for sql in TAKEN:
        Store(shop, database).execute(sql)
        with closing(sqlite3.connect(tmp_path / "shop.db")) as connection, connection:
            connection.execute(sql)
            wanted = connection.execute(ALL).fetchall()
        shown = "SELECT id, name, day || '', created_at || '', seen_at || '' FROM project WHERE id = 1"
        assert [tuple(row.values()) for row in Store(shop, database).execute(shown)] == wanted, sql


def test_a_note_tells_of_the_default(shop: Proposal, tmp_path: Path) -> None:
    """When it is designed, not when it is used; a default among whole seconds is none to tell of."""
    notes = [
        each for each in pipeline.inspect(f"sqlite:///{tmp_path / 'shop.db'}").notes if "CURRENT_TIMESTAMP" in each
    ]
    assert len(notes) == 1
    assert "`project.created_at` holds timestamps with milliseconds, but its default" in notes[0]
