"""One schema, read as DDL and in the database it makes: its columns mean the same."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url

from nestling.ir.reading import Reading
from nestling.ir.types import TypeName
from nestling.sources.ddl import read_ddl
from nestling.sources.ddl.column_type import AS_TEXT, NAMES_IN_SQLITE, catalogued_type
from nestling.sources.sql import open_database
from nestling.sources.sql.sqlite import catalog as catalog_sqlite
from tests.sources.sql.conftest import MULTI_STATEMENTS

WORDS = sorted({*NAMES_IN_SQLITE, *AS_TEXT, "any", "blahint", "frob", "int unsigned", "varchar binary"})
ODD = ("", '"national varchar"(20)', "[nvarchar](50)", "'varchar'(9)", "text[]", "interval year", "decimal(10, 2)")


def in_sqlite(path: Path, declared: Sequence[str]) -> tuple[Reading, Reading]:
    """The readings of a table with a column of each type: of its file, and of its statement."""
    columns = (f"c{number} {each.replace('set', '[set]')}" for number, each in enumerate(declared))
    ddl = f"CREATE TABLE t ({', '.join(columns)});"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(ddl)
    return open_database(f"sqlite:///{path}").reading(), read_ddl(ddl, "t", dialect="sqlite")


@pytest.mark.thorough
def test_every_word_means_the_same_in_a_sqlite_file(tmp_path: Path) -> None:
    """Types, NULL, what a row gets by itself, and what is listed."""
    live, told = in_sqlite(tmp_path / "t.db", [*WORDS, *(f"{word}(20)" for word in WORDS), *ODD])
    assert live.model.entity("t").attributes == told.model.entity("t").attributes
    assert len(live.gaps) == len(told.gaps) > 0


@pytest.mark.thorough
def test_words_mean_the_same_where_only_the_catalogue_tells_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table whose statement cannot be read is known by the pragmas alone."""
    monkeypatch.setattr(catalog_sqlite, "declared_table", lambda _: None)
    live, told = in_sqlite(tmp_path / "t.db", [*WORDS, "uuid(20)", "decimal(10, 2)", "varchar(20)", ""])
    assert live.model.entity("t").attributes == told.model.entity("t").attributes


@pytest.mark.parametrize(("words", "expected"), [("nvarchar](50", "text"), ("big int;", "integer"), ("a+b", "any")])
def test_words_of_no_type_at_all_have_an_affinity(words: str, expected: str) -> None:
    """What SQLite's pragma says of odd declarations need not be the words of a type."""
    assert str(catalogued_type(words, "sqlite").type) == expected


def test_every_word_postgresql_takes_means_the_same_in_its_catalogue(postgresql: str) -> None:
    """Names of one type that the catalogue has by another name, arrays, and numbers it counts up."""
    psycopg = pytest.importorskip("psycopg")
    server = make_url(postgresql).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS worded CASCADE; CREATE SCHEMA worded")

        def made(ddl: str) -> bool:
            try:
                connection.execute(f"SET search_path = worded; {ddl}")
            except psycopg.Error:
                return False
            return True

        tables = list(_tables(made, (*WORDS, "integer[]", "varchar(9)[][]", '"char"', "timestamp(3) with time zone")))
        live = open_database(server).reading()
        connection.execute("DROP SCHEMA worded CASCADE")
    assert len(tables) > 60
    assert _columns(live, "worded.") == _columns(read_ddl("".join(tables), "t", dialect="postgresql"))


def test_every_word_mariadb_takes_means_the_same_in_its_catalogue(mariadb: str) -> None:
    """Likewise; whether a `tinyint(1)` is a truth is for its values to tell."""
    pymysql = pytest.importorskip("pymysql")
    server = make_url(mariadb).set(drivername="mysql", database="worded")
    with closing(
        pymysql.connect(
            host=server.host, port=server.port, user=server.username, password=str(server.password),
            autocommit=True, client_flag=MULTI_STATEMENTS,
        )
    ) as connection, connection.cursor() as cursor:  # fmt: skip
        cursor.execute("CREATE OR REPLACE DATABASE worded CHARACTER SET utf8mb4")
        cursor.execute("USE worded")

        def made(ddl: str) -> bool:
            try:
                cursor.execute(ddl)
            except pymysql.Error:
                return False
            return True

        tables = list(_tables(made, (*WORDS, "enum('a', 'it''s')", "set('a', 'b')", "int(10) unsigned zerofill")))
        live = open_database(server.render_as_string(hide_password=False)).reading()
        cursor.execute("DROP DATABASE worded")
    assert len(tables) > 60
    truths = {TypeName.BOOLEAN: TypeName.INTEGER}
    told = _columns(read_ddl("".join(tables), "t", dialect="mysql"))
    assert _columns(live) == {name: (truths.get(kind, kind), *rest) for name, (kind, *rest) in told.items()}


def _tables(made: Callable[[str], bool], words: tuple[str, ...]) -> Iterator[str]:
    """The statements a server takes, a table for each word, with a number and without."""
    for number, word in enumerate(words):
        for suffix in ("", "(5)"):
            ddl = f"CREATE TABLE t{number}_{len(suffix)} (a {word}{suffix});"
            if made(ddl):
                yield ddl


def _columns(reading: Reading, schema: str = "") -> dict[str, tuple[Any, ...]]:
    """What the one column of each table is: servers give some types a length of their own, so without these."""
    found = {}
    for entity in reading.model.entities:  # other tests' tables may be in other schemas
        if not entity.name.startswith(schema):
            continue
        (column,) = entity.attributes
        element = column.type.element.name if column.type.element is not None else None
        found[entity.name.removeprefix(schema)] = (column.type.name, element, column.nullable, column.default)
    return found
