"""CHECKs over several columns, from a database to MongoDB and back: what the source refuses, the validator refuses."""

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
CREATE TABLE plan (
  id integer PRIMARY KEY, name varchar(40) NOT NULL, low integer, high integer, active boolean NOT NULL,
  CONSTRAINT band CHECK (low < high), CHECK (active OR high IS NULL)
);
CREATE TABLE subscription (
  id integer PRIMARY KEY, plan_id integer NOT NULL REFERENCES plan (id), started_at timestamp NOT NULL, ended_at timestamp,
  net numeric(10, 2) NOT NULL, tax numeric(10, 2), seats integer, used integer, state varchar(10) NOT NULL,
  CONSTRAINT period CHECK (ended_at IS NULL OR ended_at > started_at),
  CONSTRAINT total CHECK (net >= tax AND seats - used >= 0),
  CONSTRAINT closed CHECK ((state = 'closed' AND ended_at IS NOT NULL) OR state <> 'closed'),
  CONSTRAINT odd CHECK (seats % 2 = 0 AND used <= seats)
);
"""
ROWS = """
INSERT INTO plan VALUES (1, 'small', 1, 5, true), (2, 'any', NULL, 7, true), (3, 'old', NULL, NULL, false);
INSERT INTO subscription VALUES
  (1, 1, '2024-01-01 10:00:00', '2024-02-01 10:00:00', 10.50, 2.00, 4, 2, 'closed'),
  (2, 1, '2024-01-01 10:00:00', NULL, 10.00, NULL, NULL, 3, 'open'),
  (3, 2, '2024-03-01 10:00:00', '2024-03-01 10:00:01', 1.00, 1.00, 2, 2, 'open');
"""
CARRIED = {
    "plan": ["CHECK band (low < high)", "CHECK (active OR high IS NULL)"],
    "subscription": [
        "CHECK period (ended_at IS NULL OR ended_at > started_at)",
        "CHECK total (net >= tax AND seats - used >= 0)",
        "CHECK closed (state = 'closed' AND ended_at IS NOT NULL OR state <> 'closed')",
        "CHECK odd (used <= seats)",
    ],
}
BREAKING = [
    ("UPDATE plan SET low = 5 WHERE id = 1", "CHECK band (low < high) of `plan` does not hold"),
    ("UPDATE plan SET active = false WHERE id = 1", "(active OR high IS NULL) of `plan` does not hold"),
    ("UPDATE subscription SET ended_at = '2023-01-01 10:00:00' WHERE id = 1", "CHECK period ("),
    ("UPDATE subscription SET tax = 10.51 WHERE id = 1", "CHECK total ("),
    ("UPDATE subscription SET used = 5 WHERE id = 1", "CHECK total ("),
    ("UPDATE subscription SET ended_at = NULL WHERE id = 1", "CHECK closed ("),
    (
        "INSERT INTO subscription VALUES (9, 2, '2024-01-01 10:00:00', '2023-01-01 10:00:00', 1, 1, 2, 2, 'open')",
        "CHECK period (",
    ),
]
HARMLESS = [
    "UPDATE plan SET low = 6 WHERE id = 2",
    "UPDATE subscription SET ended_at = NULL WHERE id = 3",
    "UPDATE subscription SET tax = 99 WHERE id = 2 AND id = 3",
    "INSERT INTO subscription VALUES (8, 2, '2024-01-01 10:00:00', NULL, 1, NULL, 2, NULL, 'open')",
]


def checks_of(reading: Reading) -> dict[str, list[str]]:
    return {each.name: [str(check) for check in each.checks] for each in reading.model.entities if each.checks}


def made_in_sqlite(path: Path, text: str = TABLES + ROWS) -> str:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(text)
    return f"sqlite:///{path}"


def keeps(address: str, database: Database[dict[str, Any]], strategy: str) -> None:
    """Rows load and are equal, what breaks a check is refused by its name, and what does not is written."""
    proposal = pipeline.design(pipeline.inspect(address), strategy)
    loaded = pipeline.load(proposal, address, database)
    assert loaded.verified is not None
    assert loaded.verified.equal
    store = Store(proposal, database)
    for sql, said in BREAKING:
        with pytest.raises(ConstraintError) as refused:
            store.execute(sql)
        assert refused.value.violation is Violation.CHECK
        assert said in str(refused.value), sql
    for sql in HARMLESS:
        store.execute(sql)


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_checks_over_rows_are_enforced_in_sqlite(
    strategy: str, tmp_path: Path, database: Database[dict[str, Any]]
) -> None:
    """The rest of a condition is told."""
    address = made_in_sqlite(tmp_path / "a.db")
    reading = pipeline.inspect(address)
    assert checks_of(reading) == CARRIED
    assert reading.notes == (
        "CHECK (seats % 2 = 0) of `subscription` (odd) is left out: the application has to enforce it",
    )
    keeps(address, database, strategy)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_checks_over_rows_are_enforced_in_postgresql(
    strategy: str, postgresql_urls: tuple[str, str], database: Database[dict[str, Any]]
) -> None:
    """Which shows conditions with casts of its own."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgresql_urls[1], autocommit=True) as connection:
        connection.execute(TABLES + ROWS)
        for sql, _ in BREAKING:
            with pytest.raises(psycopg.errors.CheckViolation):
                connection.execute(sql)
    reading = pipeline.inspect(postgresql_urls[1])
    found = checks_of(reading)
    assert found["plan"] == ["CHECK band (low < high)", "CHECK plan_check (active OR high IS NULL)"]
    assert sorted(found["subscription"]) == sorted(CARRIED["subscription"])
    keeps(postgresql_urls[1], database, strategy)


@pytest.mark.thorough
def test_unload_declares_them_again(
    tmp_path: Path, postgresql_urls: tuple[str, str], database: Database[dict[str, Any]]
) -> None:
    """In SQLite and in PostgreSQL, under their names, and what cannot be said there is told."""
    address = made_in_sqlite(tmp_path / "a.db")
    proposal = pipeline.design(pipeline.inspect(address), "embedded")
    pipeline.load(proposal, address, database)
    back = f"sqlite:///{tmp_path / 'b.db'}"
    pipeline.unload(proposal, back, database)
    assert checks_of(pipeline.inspect(back)) == CARRIED
    pipeline.unload(proposal, postgresql_urls[1], database)
    found = checks_of(pipeline.inspect(postgresql_urls[1]))
    assert sorted(found["subscription"]) == sorted(CARRIED["subscription"])


def test_ddl_carries_them(tmp_path: Path) -> None:
    """A file says the same as the database it makes."""
    path = tmp_path / "schema.sql"
    path.write_text(TABLES)
    assert checks_of(pipeline.inspect(path, dialect="sqlite")) == CARRIED


@pytest.mark.thorough
def test_generated_rows_keep_them(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Whatever is known of each attribute by itself."""
    more = "".join(
        f"INSERT INTO subscription VALUES ({n}, 1, '2024-01-{n % 28 + 1:02} 10:00:00', '2024-02-{n % 28 + 1:02} 10:00:00',"
        f" {n}.5, {n}, {n * 2}, {n}, 'closed');"
        for n in range(10, 200)
    )
    address = made_in_sqlite(tmp_path / "a.db", TABLES + ROWS + more)
    proposal = pipeline.design(pipeline.inspect(address), "embedded")
    made = pipeline.generate(pipeline.inspect(address), tmp_path / "made.db")
    assert checks_of(pipeline.inspect(made)) == CARRIED
    loaded = pipeline.load(proposal, made, database)
    assert loaded.verified is not None
    assert loaded.verified.equal


def test_rows_that_break_one_leave_it(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """SQLite can be told to ignore checks; a note says how many rows there are, and all of them load."""
    columns = "id integer PRIMARY KEY, low integer, high integer, c integer"
    tables = f"CREATE TABLE t ({columns}, CHECK (low < high), CHECK (c <> low));"
    broken = "PRAGMA ignore_check_constraints = ON; INSERT INTO t VALUES (1, 2, 1, 'text'), (2, 1, 2, 3);"
    address = made_in_sqlite(tmp_path / "a.db", tables + broken)
    reading = pipeline.inspect(address)
    assert checks_of(reading) == {}
    assert "CHECK (low < high) of `t` is left out: violated by 1 row" in reading.notes
    assert [note for note in reading.notes if note.startswith("CHECK (c <> low) of `t` is left out: `c` is ")] != []
    loaded = pipeline.load(pipeline.design(reading, "normalized"), address, database)
    assert loaded.verified is not None
    assert loaded.verified.equal


TIMES = """
CREATE TABLE hours (id integer PRIMARY KEY, starts time, ends time NOT NULL, CONSTRAINT turn CHECK (ends > starts));
INSERT INTO hours VALUES (1, '08:00:00', '12:00:00'), (2, '08:00:00', '08:00:00.5'), (3, NULL, '00:00:00'),
  (4, '23:59:59.25', '23:59:59.5');
"""
BEHIND = ("08:00:00", "07:59:59.999", "00:00:00", "08:00")
AHEAD = ("08:00:00.001", "23:59:59", "24:00:00")


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_times_of_day(strategy: str, postgresql_urls: tuple[str, str], database: Database[dict[str, Any]]) -> None:
    """Their texts are in the order of the times, whatever digits of a second there are; the copy is declared so too."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgresql_urls[0], autocommit=True) as connection:
        connection.execute('DROP SCHEMA torture, "odd schema" CASCADE; SET search_path TO public')
        connection.execute(TIMES)
    reading = pipeline.inspect(postgresql_urls[0])
    assert checks_of(reading) == {"hours": ["CHECK turn (ends > starts)"]}
    proposal = pipeline.design(reading, strategy)
    pipeline.load(proposal, postgresql_urls[0], database)
    store = Store(proposal, database)
    pipeline.unload(proposal, postgresql_urls[1], database)
    assert checks_of(pipeline.inspect(postgresql_urls[1])) == checks_of(reading)
    sql = "UPDATE hours SET ends = :ends WHERE id = 1"
    for url in postgresql_urls:
        with psycopg.connect(url, autocommit=True) as connection:
            for ends in BEHIND:
                with pytest.raises(psycopg.errors.CheckViolation):
                    connection.execute(sql.replace(":ends", "%s"), [ends])
            for ends in AHEAD:
                connection.execute(sql.replace(":ends", "%s"), [ends])
    for ends in BEHIND:
        with pytest.raises(ConstraintError, match="CHECK turn"):
            store.execute(sql, ends=ends)
    for ends in AHEAD:
        store.execute(sql, ends=ends)
    with pytest.raises(ConstraintError, match="CHECK turn"):
        store.execute("UPDATE hours SET ends = starts WHERE id = 2")
