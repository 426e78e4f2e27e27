"""Texts no index of the server serves, as SQLite's NOCASE and PostgreSQL's citext: neither proposed nor priced as if one did."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from nestling.ir.candidate import Indexed, Paired
from nestling.ir.reading import Reading
from nestling.pipeline import design, inspect
from nestling.pipeline.designing import posed_problem
from tests.least_cost import designed
from tests.two_prices import two_prices

FACTOR = 2.0
WORKLOAD = """
-- name: by_email
SELECT name FROM person WHERE email = :email;
-- name: by_nick
SELECT name FROM person WHERE nick = :nick;
-- name: folded
SELECT id FROM person WHERE name = :name COLLATE NOCASE;
-- name: later
SELECT name FROM person WHERE email > :email ORDER BY email LIMIT 5;
-- name: first
SELECT name FROM person ORDER BY email LIMIT 5;
-- name: land
SELECT name FROM land WHERE code = :code;
-- name: of_land
SELECT c.name FROM land l JOIN city c ON c.land = l.code WHERE l.name = :name;
-- name: of_city
SELECT c.name, l.name FROM city c JOIN land l ON l.code = c.land WHERE c.id = :id;
-- name: add
INSERT INTO person (id, email, name, nick) VALUES (:id, :email, :name, :nick);
-- name: rename
UPDATE person SET name = :name WHERE email = :email
"""


@pytest.fixture
def reading(tmp_path: Path) -> Reading:
    """Persons found by texts that compare whatever their case, and cities by the code of their land."""
    source = sqlite3.connect(tmp_path / "a.db")
    source.executescript("""
        CREATE TABLE person (id INTEGER PRIMARY KEY, email TEXT COLLATE NOCASE, name TEXT, nick TEXT COLLATE NOCASE UNIQUE);
        CREATE TABLE land (code TEXT COLLATE NOCASE PRIMARY KEY, name TEXT);
        CREATE TABLE city (id INTEGER PRIMARY KEY, land TEXT COLLATE NOCASE REFERENCES land (code), name TEXT);
    """)
    rows = [(i, f"u{i}@X", f"n{i % 500}", f"k{i}") for i in range(5000)]
    source.executemany("INSERT INTO person VALUES (?, ?, ?, ?)", rows)
    source.executemany("INSERT INTO land VALUES (?, ?)", [(f"L{i}", f"n{i}") for i in range(500)])
    source.executemany("INSERT INTO city VALUES (?, ?, ?)", [(i, f"L{i % 500}", f"n{i}") for i in range(5000)])
    source.commit()
    source.close()
    workload = tmp_path / "workload.sql"
    workload.write_text(WORKLOAD)
    return inspect(f"sqlite:///{tmp_path / 'a.db'}", workload=workload)


def test_no_index_on_them_is_a_candidate(reading: Reading) -> None:
    """Neither one that seeks, sorts or ranges by them, nor one of a foreign key, nor a list of names and values."""
    candidates = posed_problem(reading, None, None).candidates
    parts = [each.part for each in candidates]
    found = {name for part in parts if isinstance(part, Indexed) for name, _ in part.keys}
    assert not found & {"email", "nick", "code", "land"}
    assert not any(isinstance(part, Paired) for part in parts)


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", ["normalized", "embedded", "optimal"])
def test_designs_index_them_only_where_they_are_unique(reading: Reading, strategy: str) -> None:
    """The unique one keeps its index, which is said to serve no statement; what is equal is found by one whatever the case."""
    indexes = designed(reading, strategy).design.indexes
    assert {each.keys[0][0] for each in indexes if each.any_case} == ({"email"} if strategy == "optimal" else set())
    found = [(each.keys[0][0], each.unique, each.serves) for each in indexes if not each.any_case]
    assert [each for each in found if each[0] in {"email", "nick", "land", "_id"}] == [("nick", True, ())]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("strategy", ["normalized", "embedded", "optimal"])
def test_their_prices_count_the_scan(reading: Reading, strategy: str) -> None:
    """The search's price of each statement is within a factor of two of the compiled one's."""
    found = two_prices(reading, designed(reading, strategy))
    assert found.keys() == {each.name for each in reading.workload.statements}
    apart = {name: prices for name, prices in found.items() if prices.factor > FACTOR}
    assert not apart


def test_citext_is_no_reason_for_an_index_either(tmp_path: Path) -> None:
    """A model that says so of a text, as one read from PostgreSQL does."""
    model, workload = tmp_path / "model.yaml", tmp_path / "workload.sql"
    model.write_text(
        "nestling: 1\ndialect: postgresql\nmodel:\n  name: people\n  entities:\n    person:\n      key: [id]\n      attributes:\n"
        "        id: integer\n        name: text\n        email: {type: text, collation: nocase}\n"
    )
    workload.write_text("SELECT name FROM person WHERE email = :email AND name = :name")
    found = design(inspect(str(model), workload=workload), "normalized").design.indexes
    assert [each.keys for each in found] == [(("name", 1),)]
