"""An upsert whose new row meets two rows changes one of them, as MariaDB does; where nobody knows which one, it is refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import ConstraintError
from nestling.emitters.python_code import module
from nestling.ir.programs.program import CompiledWrite
from tests.beside_mariadb import Both, both_of

TABLES = """
CREATE TABLE team (id int PRIMARY KEY, name varchar(9));
CREATE TABLE person (
  id int PRIMARY KEY, email varchar(9) UNIQUE, phone varchar(9) UNIQUE, team_id int NOT NULL, v varchar(9),
  FOREIGN KEY (team_id) REFERENCES team (id));
CREATE TABLE visit (id int PRIMARY KEY, person_id int NOT NULL, FOREIGN KEY (person_id) REFERENCES person (id));
INSERT INTO team VALUES (1, 'one'), (2, 'two');
INSERT INTO person VALUES (1, 'a', 'p', 1, 'one'), (2, 'b', 'q', 1, 'two'), (3, 'c', NULL, 2, 'three');
INSERT INTO visit VALUES (1, 1), (2, 2), (3, 2)
"""
both = both_of(TABLES, "normalized", "embedded", "tree")
_CHANGED = "ON DUPLICATE KEY UPDATE v = 'dup', team_id = VALUES(team_id)"
MET = (
    "(2, 'a', NULL, 2, 'new')",  # the key's row, not the email's
    "(2, 'a', 'q', 2, 'new')",
    "(9, 'a', 'p', 2, 'new')",  # one row by both
    "(9, 'A', 'new', 2, 'new')",
    "(9, NULL, 'q', 2, 'new')",
    "(3, 'c', 'new', 1, 'new')",
    "(9, 'x', 'y', 1, 'new')",
    "(2, 'a', 'x', 2, 'new'), (1, 'b', 'y', 1, 'new'), (9, 'c', 'z', 1, 'new')",
)
_READ = "SELECT id, email, phone, team_id, v FROM person ORDER BY id"


@pytest.mark.one_in(5)
@pytest.mark.in_turn("both")
@pytest.mark.parametrize("rows", MET)
def test_the_key_comes_first(both: Both, rows: str) -> None:
    """MariaDB's row, and nothing else, wherever rows lie."""
    assert both.written(f"INSERT INTO person VALUES {rows} {_CHANGED}") == (True, True)
    both.assert_equal()


@pytest.mark.thorough
def test_values_that_are_given_and_emitted_python(both: Both) -> None:
    """A key that is given as NULL meets no row, so the email's changes; the function that is emitted does the same."""
    sql = f"INSERT INTO person (id, email, team_id, v) VALUES (:id, :email, 2, 'new') {_CHANGED}"
    write = pipeline.convert(both.proposal, sql, dialect="mysql")
    assert isinstance(write, CompiledWrite)
    defined: dict[str, Any] = {}
    exec(module([replace(write, name="write")]), defined)  # what is emitted is what is tested
    for number, email in ((2, "a"), (9, "c")):
        defined["write"](both.database, id=number, email=email)
        both.cursor.execute(sql.replace(":id", "%s").replace(":email", "%s"), (number, email))
    both.assert_equal()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("row", ["(9, 'a', 'q', 2, 'new')", "(9, 'b', 'p', 2, 'new')"])
def test_what_no_model_tells_is_refused(both: Both, row: str) -> None:
    """Beside the key MariaDB looks at indexes in the order in which they were made."""
    assert both.written(f"INSERT INTO person VALUES {row} {_CHANGED}") == (False, True)


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_without_a_target_in_sqlite(strategy: str, tmp_path: Path, database: Database[Any]) -> None:
    """SQLite looks at its indexes from the newest on: one row that is met changes, and two are refused."""
    address = f"sqlite:///{tmp_path / 'a.db'}"
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as connection:
        connection.executescript(TABLES)
        proposal = pipeline.design(pipeline.inspect(address), strategy)
        pipeline.load(proposal, address, database)
        store = Store(proposal, database)
        for rows in (
            *MET[2:3],
            *MET[4:6],
            "(2, 'b', 'q', 1, 'new'), (9, 'b', 'x', 1, 'new')",
            "(2, 'z', 'z', 1, 'new')",
        ):
            sql = f"INSERT INTO person VALUES {rows} ON CONFLICT DO UPDATE SET v = excluded.v || id"
            assert store.execute(sql).affected == connection.execute(sql).rowcount
            assert [tuple(row.values()) for row in store.execute(_READ)] == connection.execute(_READ).fetchall(), sql
        with pytest.raises(ConstraintError, match="conflicts with two rows, by `id` or `email`"):
            store.execute("INSERT INTO person VALUES (2, 'a', NULL, 1, 'new') ON CONFLICT DO UPDATE SET v = 'dup'")
