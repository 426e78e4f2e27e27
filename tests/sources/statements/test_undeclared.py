"""Relationships nobody declared, found in what statements join."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from nestling.ir.model import Cardinality
from nestling.pipeline import inspect
from nestling.sources.ddl import read_ddl
from nestling.sources.statements import NamedSql, with_joined

TABLES = """
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, boss INTEGER);
CREATE TABLE items (id INTEGER PRIMARY KEY, seller INTEGER NOT NULL, code TEXT NOT NULL UNIQUE);
CREATE TABLE bids (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, item_id INTEGER NOT NULL, code TEXT);
CREATE TABLE profiles (id INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE remarks (id INTEGER PRIMARY KEY, about_type TEXT, about_id INTEGER, content_type_id INTEGER, object_id INTEGER,
  user_id INTEGER, type TEXT);
CREATE TABLE places (country TEXT, town TEXT, PRIMARY KEY (country, town));
CREATE TABLE shops (id INTEGER PRIMARY KEY, land TEXT, city TEXT, owner INTEGER REFERENCES users (id));
"""


def found(sql: str) -> set[tuple[str, tuple[str, ...], str, tuple[str, ...]]]:
    """Child, its columns, parent, its key – of each relationship that is added."""
    declared = read_ddl(TABLES, "t", dialect="sqlite").model
    model, notes = with_joined(declared, [NamedSql("one", sql, "sqlite")])
    added = model.relationships[len(declared.relationships) :]
    assert len(notes) == len(added)
    return {(link.child, link.child_attributes, link.parent, link.parent_attributes) for link in added}


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1 FROM bids JOIN users ON bids.user_id = users.id", {("bids", ("user_id",), "users", ("id",))}),
        ("SELECT 1 FROM bids b, items i WHERE i.id = b.item_id", {("bids", ("item_id",), "items", ("id",))}),
        (
            "SELECT 1 FROM remarks r JOIN users u ON r.user_id = u.id AND r.type = 'x'",
            {("remarks", ("user_id",), "users", ("id",))},
        ),
        ("SELECT 1 FROM bids JOIN items USING (code)", {("bids", ("code",), "items", ("code",))}),
        ("SELECT 1 FROM users WHERE id IN (SELECT seller FROM items)", {("items", ("seller",), "users", ("id",))}),
        ("SELECT 1 FROM users u JOIN users b ON u.boss = b.id", {("users", ("boss",), "users", ("id",))}),
        (
            "SELECT 1 FROM shops s JOIN places p ON s.land = p.country AND p.town = s.city",
            {("shops", ("land", "city"), "places", ("country", "town"))},
        ),
    ],
)
def test_what_is_joined_to_a_key_refers_to_it(sql: str, expected: set[object]) -> None:
    """By ON, WHERE, USING and IN; to the key or a unique column; to the table itself; by several columns."""
    assert found(sql) == expected


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM shops s JOIN places p ON s.land = p.country",  # half a key
        "SELECT 1 FROM users JOIN profiles ON users.id = profiles.id",  # both are keys: who refers to whom?
        "SELECT 1 FROM bids JOIN users ON bids.user_id > users.id",
        "SELECT 1 FROM bids JOIN users ON bids.code = users.id",  # a text is no number
        "SELECT 1 FROM bids a JOIN bids b ON a.item_id = b.item_id",  # no key
        "SELECT 1 FROM items i JOIN remarks r ON r.about_type = 'Item' AND r.about_id = i.id",  # of users too, it may be
        "SELECT 1 FROM items i JOIN remarks r ON r.content_type_id = 7 AND r.object_id = i.id",
        "SELECT 1 FROM shops JOIN users ON owner = users.id",  # declared
        "SELECT 1 FROM bids, users WHERE user_id = 7 AND users.id = 7",  # equal constants tell nothing
        "SELECT 1 FROM nowhere JOIN users ON nowhere.user_id = users.id",
    ],
)
def test_what_is_not_joined_to_a_key_does_not(sql: str) -> None:
    """Nothing is added where the statement does not say it, or a foreign key does."""
    assert found(sql) == set()


def test_a_database_measures_them(tmp_path: Path) -> None:
    """They promise nothing, have names of their own, and their fan-out and dangling rows are counted."""
    path, workload = tmp_path / "t.db", tmp_path / "w.sql"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(TABLES)
        connection.execute("INSERT INTO users VALUES (1, 'a', NULL), (2, 'b', NULL)")
        connection.execute("INSERT INTO bids VALUES (1, 1, 1, NULL), (2, 1, 1, NULL), (3, 9, 1, NULL)")
    workload.write_text(
        "-- name: one\nSELECT 1 FROM bids JOIN users ON bids.user_id = users.id;\n"
        "-- name: two\nSELECT 1 FROM bids JOIN users ON bids.user_id = users.id WHERE name = :name;\n"
    )
    reading = inspect(f"sqlite:///{path}", workload=workload)
    (link,) = [each for each in reading.model.relationships if each.child == "bids"]
    assert (link.name, link.parent_role, link.cardinality) == ("users_bids", "user", Cardinality.ONE_TO_MANY)
    assert not link.required
    assert not link.enforced
    statistics = reading.statistics.relationship(link.name)
    assert statistics.mean is not None
    assert (statistics.mean.value, statistics.dangling and statistics.dangling.value) == (1.0, 1.0)
    note = "`bids` (user_id) is assumed to refer to `users`, as the joins of `one` and 1 more suggest; there is no such foreign key"  # noqa: E501
    assert note in reading.notes
    assert "1 row of `bids` refers to a row of `users` that does not exist" in "\n".join(reading.notes)
    assert reading.workload.statements[0].accesses[1].via == link.name
