"""Statements that no index serves are named in a note of the design."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from nestling.pipeline import design, inspect

WORKLOAD = """
-- name: folded, rate: 5/s
SELECT name FROM person WHERE lower(email) = :email;
-- name: begun, rate: 5/s
SELECT name FROM person WHERE email LIKE :pattern;
-- name: joined, rate: 5/s
SELECT name FROM person WHERE email || name = :both;
-- name: found, rate: 5/s
SELECT name FROM person WHERE lower(email) = :email AND id = :id;
-- name: every, rate: 5/s
SELECT count(*) FROM person;
-- name: of_few, rate: 5/s
SELECT name FROM land WHERE lower(name) = :name;
"""


@pytest.mark.parametrize("strategy", ["optimal", "tree"])
def test_a_function_of_a_column_is_a_scan(tmp_path: Path, strategy: str) -> None:
    """Not where another condition finds the rows, nor in a small table, nor where all rows are asked for."""
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        connection.execute("CREATE TABLE person (id INTEGER PRIMARY KEY, email TEXT, name TEXT)")
        connection.execute("CREATE TABLE land (id INTEGER PRIMARY KEY, name TEXT)")
        connection.executemany("INSERT INTO person VALUES (?, ?, ?)", [(n, f"a{n}@x", f"n{n}") for n in range(500)])
        connection.execute("INSERT INTO land VALUES (1, 'Chile')")
    (tmp_path / "workload.sql").write_text(WORKLOAD)
    reading = inspect(f"sqlite:///{tmp_path / 'a.db'}", workload=tmp_path / "workload.sql")
    case, pattern, other = (each for each in design(reading, strategy).notes if each.startswith("no index finds"))
    assert case.startswith(
        "no index finds the rows of `folded` (`email` of `person`): each execution reads all or most documents"
    )
    assert "`lower(…)`" in case
    assert "`begun` (`email` of `person`)" in pattern
    assert "the condition is a pattern" in pattern
    assert "lower(" not in pattern
    assert "`joined` (`email`, `name` of `person`)" in other
    assert "no column is compared by itself for equality or a range" in other


SOFT = """
-- name: by_email, rate: 80/s
SELECT name FROM person WHERE lower(email) = :email AND gone IS NULL;
-- name: old_by_email, rate: 5/s
SELECT name FROM person WHERE lower(email) = :email AND gone = :day;
-- name: all_there, rate: 5/s
SELECT name FROM person WHERE gone IS NULL;
"""


@pytest.mark.parametrize("strategy", ["optimal", "tree"])
def test_what_most_rows_meet_finds_none(tmp_path: Path, strategy: str) -> None:
    """As that they are not deleted; an index finds those deleted on one day. Who asks for most rows is told nothing."""
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        connection.execute("CREATE TABLE person (id INTEGER PRIMARY KEY, email TEXT, name TEXT, gone TEXT)")
        rows = [(n, f"a{n}@x", f"n{n}", f"d{n}" if n % 50 == 0 else None) for n in range(1000)]
        connection.executemany("INSERT INTO person VALUES (?, ?, ?, ?)", rows)
    (tmp_path / "workload.sql").write_text(SOFT)
    reading = inspect(f"sqlite:///{tmp_path / 'a.db'}", workload=tmp_path / "workload.sql")
    (case,) = (each for each in design(reading, strategy).notes if each.startswith("no index finds"))
    assert "the rows of `by_email` (`email` of `person`): each" in case
    assert "`lower(…)`" in case


ARRAYS = """
CREATE TABLE item (id integer PRIMARY KEY, status text, tags text[]);
"""
OF_ARRAYS = """
-- name: element, rate: 5/s
SELECT status FROM item WHERE :tag = ANY(tags);
-- name: elements, rate: 5/s
SELECT status FROM item WHERE tags @> ARRAY['a', :tag]::text[];
-- name: within, rate: 5/s
SELECT status FROM item WHERE ARRAY['a'] <@ tags;
-- name: shown, rate: 5/s
SELECT upper(status) AS s FROM item WHERE status <> 'sent';
-- name: quoted, rate: 5/s
SELECT status ~ 'x' FROM item WHERE status <> 'a ~ lower(b) LIKE c';
-- name: length, rate: 5/s
SELECT status FROM item WHERE cardinality(tags) > 3;
"""


def test_the_condition_decides_what_is_said(tmp_path: Path) -> None:
    """Not what is shown, nor a text in quotes; elements of an array are found by an index, its length is not."""
    (tmp_path / "schema.sql").write_text(ARRAYS)
    (tmp_path / "workload.sql").write_text(OF_ARRAYS)
    reading = inspect(tmp_path / "schema.sql", workload=tmp_path / "workload.sql", dialect="postgresql")
    (other,) = (each for each in design(reading, "tree").notes if each.startswith("no index finds"))
    assert [name in other for name in ("`element`", "`elements`", "`within`")] == [False] * 3
    assert [name in other for name in ("`shown`", "`quoted`", "`length`")] == [True] * 3
    assert "`lower(…)`" not in other


def test_a_comparison_no_index_makes_is_a_scan(tmp_path: Path) -> None:
    """SQLite's NOCASE, unless it is unique, for which there is an index that finds it."""
    (tmp_path / "schema.sql").write_text(
        "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, login TEXT COLLATE NOCASE UNIQUE, age INT);"
    )
    (tmp_path / "workload.sql").write_text(
        "-- name: named, rate: 5/s\nSELECT id FROM person WHERE name = :n;\n"
        "-- name: ranged, rate: 5/s\nSELECT id FROM person WHERE name > :n;\n"
        "-- name: one, rate: 5/s\nSELECT id FROM person WHERE login = :n;\n"
        "-- name: both, rate: 5/s\nSELECT id FROM person WHERE name = :n AND age = 3;"
    )
    reading = inspect(tmp_path / "schema.sql", workload=tmp_path / "workload.sql", dialect="sqlite")
    (note,) = (each for each in design(reading, "tree").notes if each.startswith("no index finds"))
    assert [name in note for name in ("`named`", "`ranged`", "`one`", "`both`")] == [True, True, False, False]
    assert "by NOCASE or RTRIM" in note


CASES = """
CREATE TABLE login (id integer PRIMARY KEY, email text NOT NULL, nick citext NOT NULL UNIQUE);
CREATE UNIQUE INDEX one_email ON login (lower(email));
"""
OF_CASES = """
-- name: of_unique, rate: 5/s
SELECT id FROM login WHERE lower(email) = lower(:email);
-- name: upper_case, rate: 5/s
SELECT id FROM login WHERE upper(email::text) = upper(:email);
-- name: citext, rate: 5/s
SELECT id FROM login WHERE nick = :nick;
-- name: trimmed, rate: 5/s
SELECT id FROM login WHERE lower(trim(email)) = :email;
-- name: small_citext, rate: 5/s
SELECT id FROM login WHERE lower(nick) = :nick;
-- name: either, rate: 5/s
SELECT id FROM login WHERE lower(email) = :email OR id > 7;
"""


def test_what_an_index_finds_whatever_the_case_is_no_scan(tmp_path: Path) -> None:
    """The lower or upper case of a text that is unique by it alone, not of a citext, nor of more than the text."""
    (tmp_path / "schema.sql").write_text(CASES)
    (tmp_path / "workload.sql").write_text(OF_CASES)
    reading = inspect(tmp_path / "schema.sql", workload=tmp_path / "workload.sql", dialect="postgresql")
    (case,) = (each for each in design(reading, "tree").notes if each.startswith("no index finds"))
    told = ("of_unique", "upper_case", "citext", "trimmed", "small_citext", "either")
    assert [f"`{name}`" in case for name in told] == [False, False, False, True, True, True]
