"""UNIQUE over some rows, from a database to MongoDB and back: what the source refuses, a partial unique index refuses."""

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
from nestling.store import Store

TABLES = """
CREATE TABLE account (
  id integer PRIMARY KEY, name varchar(40) NOT NULL, email varchar(80), state varchar(9) NOT NULL, active boolean NOT NULL,
  rank integer, deleted_at timestamp
);
CREATE UNIQUE INDEX live_name ON account (name) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX one_email ON account (email) WHERE active;
CREATE UNIQUE INDEX ranked ON account (rank, state) WHERE rank >= 10 AND state = 'open';
CREATE UNIQUE INDEX odd ON account (name, id) WHERE rank <> 3;
CREATE TABLE address (id integer PRIMARY KEY, account_id integer NOT NULL REFERENCES account (id), main boolean NOT NULL);
CREATE UNIQUE INDEX main_address ON address (account_id) WHERE main;
"""
ROWS = """
INSERT INTO account VALUES (1, 'a', 'a@x', 'open', true, 10, NULL), (2, 'a', 'a@x', 'open', false, 9, '2024-01-01 10:00:00'),
  (3, 'a', NULL, 'shut', true, 10, '2024-01-01 10:00:00'), (4, 'b', NULL, 'open', true, 9, NULL);
INSERT INTO address VALUES (1, 1, true), (2, 1, false), (3, 1, false), (4, 2, true);
"""
CARRIED = [
    "UNIQUE (name) WHERE deleted_at IS NULL",
    "UNIQUE (email) WHERE active",
    "UNIQUE (rank, state) WHERE rank >= 10 AND state = 'open'",
    "UNIQUE (name, id) WHERE rank <> 3",
]
BREAKING = [
    "UPDATE account SET deleted_at = NULL WHERE id = 2",
    "UPDATE account SET name = 'a' WHERE id = 4",
    "UPDATE account SET active = true WHERE id = 2",
    "UPDATE account SET state = 'open' WHERE id = 3",
    "INSERT INTO account VALUES (9, 'b', NULL, 'shut', false, NULL, NULL)",
]
HARMLESS = [
    "UPDATE account SET rank = 9 WHERE id = 3",
    "INSERT INTO account VALUES (8, 'b', NULL, 'open', true, 1, '2024-01-01 10:00:00')",
    "INSERT INTO account VALUES (7, 'c', 'a@x', 'open', false, 9, NULL)",
]


def uniques_of(reading: Reading) -> list[str]:
    return [
        str(each) for entity in reading.model.entities for each in entity.partial_uniques if entity.name == "account"
    ]


def made_in_sqlite(path: Path, text: str = TABLES + ROWS) -> str:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(text)
    return f"sqlite:///{path}"


def keeps(address: str, database: Database[dict[str, Any]]) -> None:
    """Rows load, what breaks an index is refused, what is outside of it is written."""
    reading = pipeline.inspect(address)
    assert sorted(uniques_of(reading)) == sorted(CARRIED)
    assert [note for note in reading.notes if "over some rows" in note] == []
    proposal = pipeline.design(reading, "normalized")
    assert proposal.gaps == ()
    (told,) = (note for note in proposal.notes if "UNIQUE" in note)
    kept = "`account`: only nestling's writes enforce UNIQUE (name, id) WHERE rank <> 3, no index does: "
    assert told == kept + "a MongoDB index cannot have this condition"
    loaded = pipeline.load(proposal, address, database)
    assert loaded.verified is not None
    assert loaded.verified.equal
    store = Store(proposal, database)
    for sql in (*BREAKING, "UPDATE address SET main = true WHERE id = 2"):
        with pytest.raises(ConstraintError) as refused:
            store.execute(sql)
        assert refused.value.violation is Violation.UNIQUE, sql
    for sql in HARMLESS:
        store.execute(sql)


def test_partial_unique_indexes_are_read_in_sqlite(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """On SQLite, as it refuses the same."""
    address = made_in_sqlite(tmp_path / "a.db")
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        for sql in BREAKING:
            with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
                connection.execute(sql)
    keeps(address, database)


@pytest.mark.thorough
def test_partial_unique_indexes_are_read_in_postgresql(
    postgresql_urls: tuple[str, str], database: Database[dict[str, Any]]
) -> None:
    """On PostgreSQL, which shows conditions with casts of its own."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgresql_urls[1], autocommit=True) as connection:
        connection.execute(TABLES + ROWS)
        for sql in BREAKING:
            with pytest.raises(psycopg.errors.UniqueViolation):
                connection.execute(sql)
    keeps(postgresql_urls[1], database)


def test_embedded_rows_are_told(tmp_path: Path) -> None:
    """No index tells the elements of an array apart."""
    proposal = pipeline.design(pipeline.inspect(made_in_sqlite(tmp_path / "a.db")), "embedded")
    (told,) = (note for note in proposal.notes if "WHERE main" in note)
    assert told == (
        "`address`: only nestling's writes enforce UNIQUE (account_id) WHERE main, no index does: its rows share documents of "
        "`account`; with `address` in its own collection, a partial unique index would enforce it"
    )


@pytest.mark.thorough
def test_ddl_and_unload_and_generate(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """A file says the same, an unloaded database and a generated one have the indexes again, and rows that keep them."""
    path = tmp_path / "schema.sql"
    path.write_text(TABLES)
    assert uniques_of(pipeline.inspect(path, dialect="sqlite")) == CARRIED
    more = "".join(
        f"INSERT INTO account VALUES ({n}, 'n{n % 9}', 'e{n % 7}', 'open', false, {n % 5}, '2024-01-01 10:00:00');"
        f"INSERT INTO address VALUES ({n}, {n}, true), ({n + 1000}, {n}, false);"
        for n in range(10, 200)
        if n % 5 != 0
    )
    address = made_in_sqlite(
        tmp_path / "a.db", TABLES.replace("CREATE UNIQUE INDEX odd", "CREATE INDEX odd") + ROWS + more
    )
    reading = pipeline.inspect(address)
    proposal = pipeline.design(reading, "normalized")
    pipeline.load(proposal, address, database)
    back = f"sqlite:///{tmp_path / 'b.db'}"
    pipeline.unload(proposal, back, database)
    assert sorted(uniques_of(pipeline.inspect(back))) == sorted(CARRIED[:3])
    made = pipeline.generate(reading, tmp_path / "made.db")
    assert sorted(uniques_of(pipeline.inspect(made))) == sorted(CARRIED[:3])
    database.client.drop_database(database.name)
    loaded = pipeline.load(proposal, made, database)
    assert loaded.verified is not None
    assert loaded.verified.equal
