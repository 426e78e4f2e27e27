"""What a source's CHECK lets in, loads; what it refuses, the validator refuses too, wherever an attribute carries the CHECK.

Each database is asked itself: one column for each condition, and a row for each value that one might be compared with.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database
from pymongo.errors import WriteError
from sqlalchemy import make_url

from nestling import pipeline
from nestling.ir.codec import CODEC
from nestling.ir.statements.sql_dialects import DIALECTS, MYSQL, POSTGRESQL, SQLITE
from nestling.ir.values import encoder

CHECK_FAILED = 4025
TEXTS = ("", " ", "a", "A", "a ", "ä", "a\u0308", "ab", "abc", "\U0001f600", "it's", "b")
NUMBERS = (-1, 0, 1, 2, 3, 10, 100, 2**31 - 1)
FRACTIONS = (Decimal("-0.01"), Decimal("0.00"), Decimal("0.01"), Decimal("0.50"), Decimal("1.00"), Decimal("99.99"))
FLOATS = (-0.5, 0.0, 0.1, 0.5, 1.0, 1e10, float("inf"), float("nan"))


@dataclass(frozen=True)
class Column:
    """A column `c`: its type, its condition, and the values tried; `left`: in which dialects nothing carries the condition."""

    type: str
    condition: str
    values: tuple[Any, ...]
    left: tuple[str, ...] = ()


WHOLE = [
    "c IN (1, 2, 10)", "c = 1 OR c = 2 OR 3 = c", "c BETWEEN 0 AND 10", "c > 0 AND c < 100", "0 <= c", "c IS NULL OR c >= 1",
    "(c) = 3", "c IN (1, 2) OR c IN (2, 3)", "c >= 0.5", "c > -1", "c >= 0 AND c IN (-1, 0, 1)",
]  # fmt: skip
DECIMALS = ["c >= 0", "c > 0", "c <= 0.50", "c BETWEEN 0 AND 1", "c IN (0.01, 1, 99.99)", "c > 0.01 AND c < 99.99"]
FLOATING = ["c >= 0", "c > 0", "c <= 0.5", "c IN (0.5, 1)", "c >= 0 AND c <= 1", "c < 1"]
LONG = ["length(c) <= 2", "length(c) BETWEEN 1 AND 2", "length(c) = 1", "3 > length(c)"]
EQUAL = ["c IN ('a', 'ä', 'it''s')", "c = 'a' OR c = 'b'", "c <> ''"]
OTHER = [
    "c <> 1",
    "c NOT IN (1, 2)",
    "c IN (1, NULL)",
    "c % 2 = 0",
    "c > 0 OR c < -5",
    "c IS NOT NULL OR c = 1",
]
COLUMNS = [
    *(Column(kind, each, NUMBERS) for kind in ("int", "bigint") for each in WHOLE),
    *(Column("decimal(6,2)", each, FRACTIONS) for each in DECIMALS),
    *(Column(kind, each, FLOATS) for kind in ("double precision", "real") for each in FLOATING),
    *(Column("varchar(9)", each, TEXTS) for each in LONG),
    *(Column("varchar(9)", each, TEXTS, (MYSQL,)) for each in EQUAL),
    *(Column("int", each, NUMBERS, DIALECTS) for each in OTHER),
    *(Column("varchar(9)", each, TEXTS, DIALECTS) for each in ("c LIKE 'a%'", "c > 'a'")),
    Column("int", "NOT c > 1", NUMBERS, (SQLITE, POSTGRESQL)),  # MariaDB makes it c <= 1
    Column("double precision", "c > 0.1", FLOATS, (POSTGRESQL, MYSQL)),
    Column("char(9)", "c IN ('a', 'ab')", TEXTS, (POSTGRESQL, MYSQL)),
]


def table(dialect: str) -> str:
    """The statement that makes a table of all columns."""
    length = "char_length" if dialect == MYSQL else "length"
    declared = (
        f"c{number} {column.type} CHECK ({condition})"
        for number, column in enumerate(COLUMNS)
        for condition in [re.sub(r"\bc\b", f"c{number}", column.condition).replace("length", length)]
    )
    return f"CREATE TABLE t (id int NOT NULL PRIMARY KEY, {', '.join(declared)})"


def tried(insert: Callable[[str, tuple[Any, ...]], bool], mark: str) -> Iterator[tuple[int, object]]:
    """Insert a row for each value of each column; the columns and values of which the CHECK refused one."""
    key = 0
    for number, column in enumerate(COLUMNS):
        for value in column.values:
            key += 1
            if not insert(f"INSERT INTO t (id, c{number}) VALUES ({mark}, {mark})", (key, value)):
                yield number, value


def agrees(address: str, dialect: str, refused: list[tuple[int, object]], database: Database[dict[str, Any]]) -> None:
    """All rows that are there load and are verified; those that were refused are refused again, if anything is carried."""
    reading = pipeline.inspect(address)
    entity = reading.model.entity("t")
    allowed = {int(each.name[1:]): each.allowed for each in entity.attributes if each.allowed is not None}
    assert sorted(allowed) == [number for number, column in enumerate(COLUMNS) if dialect not in column.left]
    loaded = pipeline.load(pipeline.design(reading, "normalized"), address, database)
    assert loaded.verified is not None
    assert loaded.verified.equal
    assert {number for number, _ in refused} >= set(allowed)
    documents = database.get_collection("t", codec_options=CODEC)
    for place, (number, value) in enumerate(refused):
        if number in allowed:
            stored = encoder(entity.attribute(f"c{number}").type)(value)
            with pytest.raises(WriteError, match="validation"):
                documents.insert_one({"_id": -1 - place, f"c{number}": stored})


@pytest.mark.thorough
def test_checks_are_kept_and_enforced_in_sqlite(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """On SQLite, where decimals are doubles."""
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:

        def insert(sql: str, row: tuple[Any, ...]) -> bool:
            try:
                connection.execute(sql, tuple(float(each) if isinstance(each, Decimal) else each for each in row))
            except sqlite3.IntegrityError as error:
                return "CHECK" not in str(error)
            return True

        connection.execute(table(SQLITE))
        refused = list(tried(insert, "?"))
    stored = [(number, float(value) if isinstance(value, Decimal) else value) for number, value in refused]
    agrees(f"sqlite:///{path}", SQLITE, stored, database)


@pytest.mark.thorough
def test_checks_are_kept_and_enforced_in_postgresql(
    postgresql_urls: tuple[str, str], database: Database[dict[str, Any]]
) -> None:
    """On PostgreSQL, which shows conditions in a form of its own, and has NaN above all numbers."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgresql_urls[1], autocommit=True) as connection:

        def insert(sql: str, row: tuple[Any, ...]) -> bool:
            try:
                connection.execute(sql, row)
            except psycopg.errors.CheckViolation:
                return False
            return True

        connection.execute(table(POSTGRESQL))
        refused = list(tried(insert, "%s"))
    agrees(postgresql_urls[1], POSTGRESQL, refused, database)


def test_checks_are_kept_and_enforced_in_mariadb(
    mariadb_urls: tuple[str, str], database: Database[dict[str, Any]]
) -> None:
    """On MariaDB, whose texts are equal whatever their case, and which knows neither NaN nor infinity."""
    pymysql = pytest.importorskip("pymysql")
    url = make_url(mariadb_urls[1])
    where = {"host": url.host, "port": url.port, "user": url.username, "database": url.database}
    connection = pymysql.connect(**where, password=str(url.password), autocommit=True, charset="utf8mb4")
    with closing(connection), connection.cursor() as cursor:

        def insert(sql: str, row: tuple[Any, ...]) -> bool:
            if isinstance(row[1], float) and not isfinite(row[1]):
                return True
            try:
                cursor.execute(sql, row)
            except pymysql.err.OperationalError as error:
                return bool(error.args[0] != CHECK_FAILED)
            return True

        cursor.execute(table(MYSQL))
        refused = list(tried(insert, "%s"))
    agrees(mariadb_urls[1], MYSQL, refused, database)


BREAKING = """CREATE TABLE t (id int NOT NULL PRIMARY KEY, a int CHECK (a > 0), b varchar(9) CHECK ({length}(b) < 3),
  ok int CHECK (ok > 0))"""
ROWS = "INSERT INTO t (id, a, b, ok) VALUES (1, -1, 'long', 1), (2, 1, NULL, 2)"


def stays_behind(address: str, database: Database[dict[str, Any]], *words: str) -> None:
    """What rows break is not carried, and told; all rows load."""
    reading = pipeline.inspect(address)
    carried = [each.name for each in reading.model.entity("t").attributes if each.allowed is not None]
    assert carried == ["ok"]
    for said in words:
        assert [note for note in reading.notes if said in note] != [], reading.notes
    loaded = pipeline.load(pipeline.design(reading, "normalized"), address, database)
    assert loaded.verified is not None
    assert loaded.verified.equal


def test_sqlite_rows_that_break_a_check(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Written while it was told to ignore checks; or of a type that no number is compared with."""
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(BREAKING.format(length="length").replace("ok int", "c int CHECK (c > 0), ok int"))
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(ROWS)
        connection.execute("INSERT INTO t (id, c) VALUES (3, 'text'), (4, 5)")
    said = (
        "the CHECK of `t.a` (above 0) is left out: violated by 1 row",
        "`t.b` (at most 2 characters)",
        "`t.c` (above 0)",
    )
    stays_behind(f"sqlite:///{path}", database, *said)


def test_sqlite_text_with_a_nul(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Behind which SQLite does not count characters."""
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(
            "CREATE TABLE t (id int NOT NULL PRIMARY KEY, b text CHECK (length(b) < 3), ok int CHECK (ok > 0))"
        )
        connection.execute("INSERT INTO t (id, b) VALUES (1, ?)", ("a\0bcd",))
    stays_behind(f"sqlite:///{path}", database, "`t.b` (at most 2 characters)")


@pytest.mark.thorough
def test_postgresql_rows_that_break_a_check(
    postgresql_urls: tuple[str, str], database: Database[dict[str, Any]]
) -> None:
    """Written before it was declared, NOT VALID."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgresql_urls[1], autocommit=True) as connection:
        connection.execute("CREATE TABLE t (id int PRIMARY KEY, a int, b varchar(9), ok int CHECK (ok > 0))")
        connection.execute(ROWS)
        connection.execute(
            "ALTER TABLE t ADD CONSTRAINT pos CHECK (a > 0) NOT VALID, ADD CHECK (length(b) < 3) NOT VALID"
        )
    stays_behind(
        postgresql_urls[1], database, "CHECK ((a > 0)) of `t` (pos) is left out", "of `t` (t_b_check) is left out"
    )


@pytest.mark.thorough
def test_postgresql_domains_collations_and_partitions(postgresql_urls: tuple[str, str]) -> None:
    """A domain's checks are its columns'; texts that a collation takes for equal are not compared letter by letter.

    What only a partition demands is told as its table's.
    """
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgresql_urls[1], autocommit=True) as connection:
        connection.execute("CREATE DOMAIN small AS int CHECK (VALUE < 10) CHECK (VALUE >= 0)")
        connection.execute("CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
        connection.execute("CREATE TABLE p (id int, CHECK (id > 0)) PARTITION BY RANGE (id)")
        connection.execute(
            "CREATE TABLE p1 PARTITION OF p (CONSTRAINT even CHECK (id % 2 = 0)) FOR VALUES FROM (0) TO (9)"
        )
        connection.execute("CREATE TABLE t (a small, b text COLLATE ci CHECK (b IN ('x')), c text CHECK (c IN ('x')))")
    reading = pipeline.inspect(postgresql_urls[1])
    found = {each.name: str(each.allowed) for each in reading.model.entity("t").attributes if each.allowed is not None}
    assert found == {"a": "at least 0, below 10", "c": "one of 'x'"}
    assert [note for note in reading.notes if "of `t` (t_b_check) is left out" in note] != []
    assert str(reading.model.entity("p").attribute("id").allowed) == "above 0"
    assert [note for note in reading.notes if "of `p` (p1.even) is left out" in note] != []


def test_mariadb_rows_that_break_a_check(mariadb_urls: tuple[str, str], database: Database[dict[str, Any]]) -> None:
    """Written while it was told not to look."""
    pymysql = pytest.importorskip("pymysql")
    url = make_url(mariadb_urls[1])
    where = {"host": url.host, "port": url.port, "user": url.username, "database": url.database}
    connection = pymysql.connect(**where, password=str(url.password), autocommit=True)
    with closing(connection), connection.cursor() as cursor:
        for statement in (BREAKING.format(length="char_length"), "SET check_constraint_checks = 0", ROWS):
            cursor.execute(statement)
    stays_behind(
        mariadb_urls[1], database, "the CHECK of `t.a` (above 0) is left out: violated by 1 row", "`t.b` (at most 2"
    )
