"""Unique indexes over `lower(column)`: from PostgreSQL, SQLite and their DDL into a model, and back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import ConstraintError
from nestling.ir.paths.write_path import Violation
from nestling.ir.reading import Reading
from nestling.ir.text import write_reading
from nestling.store import Store

TABLES = """
CREATE TABLE login (
  id integer PRIMARY KEY, name varchar(40) NOT NULL, "Mail" text, tenant integer NOT NULL, gone boolean NOT NULL
);
CREATE UNIQUE INDEX one_name ON login (lower(name));
CREATE UNIQUE INDEX one_mail ON login (tenant, lower("Mail")) WHERE NOT gone;
CREATE UNIQUE INDEX upper_name ON login (upper(name));
"""
FOUND = ["UNIQUE (lower(name)) WHERE name IS NOT NULL", "UNIQUE (tenant, lower(Mail)) WHERE NOT gone"]
NOTE = (
    "unique index upper_name ({}) of `login` is over an expression: it makes no attribute unique, "
    "the application has to enforce it"
)
BREAKING = [
    "INSERT INTO login VALUES (9, 'ANN', NULL, 1, false)",
    "UPDATE login SET name = 'aNN' WHERE id = 2",
    "UPDATE login SET gone = false WHERE id = 3",
    "INSERT INTO login VALUES (9, 'new', NULL, 1, false), (10, 'NEW', NULL, 1, false)",
]
HARMLESS = [
    "UPDATE login SET name = 'ANN' WHERE id = 1",
    "INSERT INTO login VALUES (11, 'Ä', NULL, 1, false), (12, 'ä', NULL, 1, false), (13, 'Án', NULL, 1, false)",
    "INSERT INTO login VALUES (14, 'x', 'A@X', 2, false)",
    "INSERT OR IGNORE INTO login VALUES (15, 'aNn', NULL, 1, false)",
    "INSERT INTO login VALUES (16, 'ANn', NULL, 1, false) ON CONFLICT (lower(name)) DO UPDATE SET tenant = 5",
]
"""Also letters that SQLite's `lower()` does not know."""


def found_in(reading: Reading) -> list[str]:
    return sorted(str(each) for entity in reading.model.entities for each in entity.partial_uniques)


@pytest.mark.parametrize("dialect", ["postgresql", "sqlite"])
def test_ddl_and_model_file(dialect: str, tmp_path: Path) -> None:
    """A model file says which attributes are compared in lower case, and whether of A to Z alone."""
    (tmp_path / "schema.sql").write_text(TABLES)
    reading = pipeline.inspect(tmp_path / "schema.sql", dialect=dialect)
    assert found_in(reading) == FOUND
    assert [note for note in reading.notes if "expression" in note] == [NOTE.format("upper(name)")]
    (tmp_path / "model.yaml").write_text(write_reading(reading))
    kept = pipeline.inspect(tmp_path / "model.yaml")
    assert found_in(kept) == FOUND
    assert {each.ascii for each in kept.model.entity("login").partial_uniques} == {dialect == "sqlite"}


def test_indexes_over_lower_case_are_read_in_sqlite(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """What SQLite refuses is refused, what it takes is taken, and the indexes are there again in what is unloaded."""
    rows = "INSERT INTO login VALUES (1, 'Ann', 'a@x', 1, false), (2, 'Bo', 'B@x', 1, false), (3, 'Cy', 'A@X', 1, true)"
    path, back = tmp_path / "a.db", tmp_path / "b.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(
            f"{TABLES.replace('CREATE UNIQUE INDEX upper_name', 'CREATE INDEX upper_name')}{rows};"
        )
    reading = pipeline.inspect(f"sqlite:///{path}")
    assert found_in(reading) == FOUND
    proposal = pipeline.design(reading, "normalized")
    pipeline.load(proposal, f"sqlite:///{path}", database)
    store = Store(proposal, database)
    with closing(sqlite3.connect(path)) as connection:
        for sql in BREAKING:
            with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
                connection.execute(sql)
            with pytest.raises(ConstraintError) as refused:
                store.execute(sql)
            assert refused.value.violation is Violation.UNIQUE, sql
        for sql in HARMLESS:
            connection.execute(sql)
            store.execute(sql)
        connection.commit()
    assert pipeline.verify(proposal, f"sqlite:///{path}", database).equal
    pipeline.unload(proposal, f"sqlite:///{back}", database)
    assert found_in(pipeline.inspect(f"sqlite:///{back}")) == FOUND


def test_another_expression_is_told(tmp_path: Path) -> None:
    """Of a file of SQLite too, with the index and what it is over."""
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.executescript(TABLES)
    reading = pipeline.inspect(f"sqlite:///{tmp_path / 'a.db'}")
    assert [note for note in reading.notes if "expression" in note] == [NOTE.format("upper(name)")]


def test_indexes_over_lower_case_are_read_in_postgresql(postgresql_urls: tuple[str, str]) -> None:
    """As PostgreSQL shows them, with casts of its own."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgresql_urls[1], autocommit=True) as connection:
        connection.execute(TABLES)
    reading = pipeline.inspect(postgresql_urls[1])
    assert found_in(reading) == FOUND
    assert [note for note in reading.notes if "expression" in note] == [NOTE.format("upper(name::text)")]
