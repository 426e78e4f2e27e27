"""What `unload` declares again, and what it does not and says so, as the type map has it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
from pymongo.database import Database

from nestling.ir.allowed import Allowed
from nestling.pipeline import design, inspect, load, unload
from scripts.pages.type_map import COLUMNS


def test_digits_and_plain_indexes_are_not_declared(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Decimals of SQLite are NUMERIC without their digits, and plain indexes are gone."""
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.executescript("""
            CREATE TABLE t (id INTEGER PRIMARY KEY, cost decimal(5,2), hours decimal(5,2), word TEXT UNIQUE, rank INTEGER);
            CREATE INDEX t_rank ON t (rank);
            INSERT INTO t VALUES (1, 1.5, 2, 'a', 3);
        """)
    source, target = f"sqlite:///{tmp_path / 'a.db'}", tmp_path / "b.db"
    reading = inspect(source)
    proposal = design(reading, "normalized")
    load(proposal, source, database)
    unload(proposal, f"sqlite:///{target}", database)
    with closing(sqlite3.connect(target)) as connection:
        columns = {name: kind for _, name, kind, *_ in connection.execute("PRAGMA table_info(t)")}
        assert (columns["cost"], columns["hours"]) == ("NUMERIC", "NUMERIC")
        assert [name for _, name, *_ in connection.execute("PRAGMA index_list(t)")] == ["sqlite_autoindex_t_1"]


def test_types_of_postgresql_come_back_or_are_named(
    postgresql_urls: tuple[str, str], database: Database[dict[str, Any]]
) -> None:
    """Every type of the type map is read back from the copy as it was, or a note says as what its column is declared."""
    columns = ", ".join(f"c{number} {column.declared}" for number, column in enumerate(COLUMNS["postgresql"]))
    values = ", ".join(column.literal for column in COLUMNS["postgresql"])
    with psycopg.connect(postgresql_urls[0]) as connection:
        connection.execute('DROP SCHEMA torture, "odd schema" CASCADE; SET search_path TO public')
        connection.execute("CREATE TYPE mood AS ENUM ('glad', 'sad')")
        connection.execute(f"CREATE TABLE t (id integer PRIMARY KEY, {columns}); INSERT INTO t VALUES (1, {values})")
    reading = inspect(postgresql_urls[0])
    proposal = design(reading, "normalized")
    load(proposal, postgresql_urls[0], database)
    (note,) = unload(proposal, postgresql_urls[1], database).notes
    before, after = reading.model.entity("t"), inspect(postgresql_urls[1]).model.entity("t")
    other = {each.name for each in before.attributes if after.attribute(each.name).type != each.type}
    (mood,) = [each for each in before.attributes if each.type.values]
    assert after.attribute(mood.name).allowed == Allowed(mood.type.values)
    assert note.startswith("`t`: declared as another type than the source's: ")
    assert {each.name for each in before.attributes if f"`{each.name}` (" in note} == other - {mood.name}
    assert {str(before.attribute(name).type) for name in other - {mood.name}} == {"time", "time as timetz", "geometry"}


GENERATED = """
CREATE EXTENSION IF NOT EXISTS citext;
CREATE TYPE pair AS (a int, b int);
CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, twice int GENERATED ALWAYS AS (a * 2) STORED, low text DEFAULT lower('X'),
  mail citext UNIQUE, p pair, rates real[], tags varchar(5)[], net cidr[]);
INSERT INTO t (id, a, mail, p, rates, tags, net) VALUES (1, 2, 'Ann@x', '(1,2)', '{1.1}', '{ab}', '{10.0.0.0/8}');
"""


def test_what_postgresql_does_not_declare_is_named(
    postgresql_urls: tuple[str, str], database: Database[dict[str, Any]]
) -> None:
    """Computed columns are no defaults; types of extensions and of the database's own are texts there."""
    with psycopg.connect(postgresql_urls[0]) as connection:
        connection.execute('DROP SCHEMA torture, "odd schema" CASCADE; SET search_path TO public')
        connection.execute(GENERATED)
    proposal = design(inspect(postgresql_urls[0]), "normalized")
    load(proposal, postgresql_urls[0], database)
    assert unload(proposal, postgresql_urls[1], database).notes == (
        "`t`: the source computes `twice`; here an INSERT or UPDATE has to give the value",
        "`t`: the default of `low` is not declared; an INSERT has to give a value",
        "`t`: declared as another type than the source's: `p` (text as pair) as text, `tags` (array(text(5))) as text[]",
        "`t`: texts of `mail` are compared to the letter here, not as the source does",
    )


def test_texts_longer_than_declared_widen_their_columns(
    postgresql_urls: tuple[str, str], tmp_path: Path, database: Database[dict[str, Any]]
) -> None:
    """SQLite does not look at lengths: PostgreSQL's columns have those that all rows keep, and no text is cut."""
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.executescript("""
            CREATE TABLE t (id INTEGER PRIMARY KEY, a VARCHAR(3), b VARCHAR(3) UNIQUE, c VARCHAR(3), d VARCHAR(0));
            INSERT INTO t VALUES (1, 'abc', 'abc', 'abc', ''), (2, 'ab ', 'abc  ', 'abcdef', 'x');
        """)
    source = f"sqlite:///{tmp_path / 'a.db'}"
    proposal = design(inspect(source), "normalized")
    load(proposal, source, database)
    told = "`b` (text(3)) as text, `c` (text(3)) as text, `d` (text(0)) as text"
    assert unload(proposal, postgresql_urls[1], database).notes == (
        f"`t`: declared as another type than the source's: {told}",
    )
    with psycopg.connect(postgresql_urls[1]) as copy:
        assert copy.execute("SELECT a, b, c, d FROM t ORDER BY id").fetchall() == [
            ("abc", "abc", "abc", ""), ("ab ", "abc  ", "abcdef", "x"),
        ]  # fmt: skip
    assert str(inspect(postgresql_urls[1]).model.entity("t").attribute("a").type) == "text(3)"
