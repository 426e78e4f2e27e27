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
SELECT lower(name) AS name FROM person WHERE email || name = 'like ~ this';
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
    pattern, case, other = (each for each in design(reading, strategy).notes if each.startswith("no index finds"))
    assert case.startswith(
        "no index finds the rows of `folded` (`email` of `person`): each execution reads all documents"
    )
    assert "`lower(…)`" in case
    assert "`begun` (`email` of `person`)" in pattern
    assert "the condition is a pattern" in pattern
    assert "lower(" not in pattern
    assert "`joined` (`email`, `name` of `person`)" in other
    assert "no column compared by itself" in other


def test_elements_of_arrays_have_an_index_that_nobody_weighs(tmp_path: Path) -> None:
    """Which the note says, as the server has one for them."""
    (tmp_path / "schema.sql").write_text("CREATE TABLE issue (id int PRIMARY KEY, title text, tags text[] NOT NULL);")
    (tmp_path / "workload.sql").write_text(
        "-- name: tagged, rate: 3/s\nSELECT title FROM issue WHERE 'urgent' = ANY(tags);\n"
        "-- name: both, rate: 3/s\nSELECT title FROM issue WHERE tags @> ARRAY['a', 'b'];"
    )
    reading = inspect(tmp_path / "schema.sql", workload=tmp_path / "workload.sql", dialect="postgresql")
    (note,) = (each for each in design(reading).notes if each.startswith("no index finds"))
    assert "`tagged` (`tags` of `issue`), `both` (`tags` of `issue`)" in note
    assert "create it by hand on that column" in note
