"""Unique indexes over `lower(column)`: from PostgreSQL and its DDL into a model, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling import pipeline
from nestling.ir.reading import Reading
from nestling.ir.text import write_reading

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
    "a unique index of `login` is over an expression: no attributes are unique by it, the application must enforce it"
)


def found_in(reading: Reading) -> list[str]:
    return sorted(str(each) for entity in reading.model.entities for each in entity.partial_uniques)


def test_ddl_and_model_file(tmp_path: Path) -> None:
    """A model file says which attributes are compared in lower case."""
    (tmp_path / "schema.sql").write_text(TABLES)
    reading = pipeline.inspect(tmp_path / "schema.sql", dialect="postgresql")
    assert found_in(reading) == FOUND
    assert [note for note in reading.notes if "expression" in note] == [NOTE]
    (tmp_path / "model.yaml").write_text(write_reading(reading))
    assert found_in(pipeline.inspect(tmp_path / "model.yaml")) == FOUND


def test_postgresql(postgresql_urls: tuple[str, str]) -> None:
    """As PostgreSQL shows them, with casts of its own."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgresql_urls[1], autocommit=True) as connection:
        connection.execute(TABLES)
    reading = pipeline.inspect(postgresql_urls[1])
    assert found_in(reading) == FOUND
    assert [note for note in reading.notes if "expression" in note] == [NOTE]
