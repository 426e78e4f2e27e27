"""Statements that applications of PostgreSQL send, beside PostgreSQL: reads that agree, and writes that leave the same rows."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from uuid import UUID

import pytest
from psycopg.types.json import Jsonb
from sqlglot import parse_one

from nestling import pipeline
from nestling.common.errors import GapError
from nestling.ir.programs.compiled import NotCompiled
from nestling.planner.sql.changes.values_of_query import as_values
from nestling.store import Store
from tests.planner.reads.beside_postgresql import Beside, beside_of, written

ONE, TWO = (UUID(int=number) for number in (1, 2))
TABLES = rf"""
CREATE EXTENSION IF NOT EXISTS citext;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE item (id uuid PRIMARY KEY, name varchar(40), n integer, mood mood, data jsonb, raw bytea, seen timestamptz);
CREATE TABLE place (id serial PRIMARY KEY, town citext, visits integer);
CREATE TABLE visit (id integer PRIMARY KEY, place_id integer, people integer);
INSERT INTO item VALUES
    ('{UUID(int=11)}', E'two\nlines', 1, 'ok', '{{"a": {{"b": "x"}}, "flag": "yes"}}', '\x00ff', NULL),
    ('{UUID(int=12)}', 'it''s A', 2, 'sad', '{{}}', '\x', NULL),
    ('{UUID(int=13)}', 'é', 2, 'happy', '{{"b": 1, "a": [1, 2.0], "flag": " Off "}}', '\x00', NULL),
    ('{UUID(int=14)}', NULL, NULL, 'ok', NULL, NULL, NULL);
INSERT INTO place (town, visits) VALUES ('Köln', 1), ('KöLN', 2), ('Aachen', 3), (NULL, 4), ('AACHEN', 5), ('Ulm', 6);
INSERT INTO visit VALUES (1, 1, 2), (2, 1, 3), (3, 3, 7), (4, NULL, 9);
"""
READS: tuple[tuple[str, Mapping[str, object]], ...] = tuple(
    (f"SELECT n, name FROM item WHERE {condition} ORDER BY id", values)
    for condition, values in (
        (r"name = E'two\nlines'", {}),
        (r"name = E'it\'s \x41'", {}),
        (r"name = E'it''s \101'", {}),
        (r"name = E'\u00e9'", {}),
        (r"name = E'\xc3\xa9'", {}),
        (r"name LIKE E'tw_\n\\lines' OR name = E'\q'", {}),
        (r"raw = '\x00'", {}),
        (r"raw = '\x00FF'::bytea", {}),
        (r"raw IN ('\x', '\x00')", {}),
        (r"raw <> '\x00'", {}),
        ("data = '{}'::jsonb", {}),
        ("data <> '{}'", {}),
        ("""data #>> '{b}' = '1' AND data <> '{"b": [{"c": null}]}'""", {}),
        ("coalesce(data, '{}') = '{}'::jsonb", {}),
        ("data #>> '{a,b}' = 'x'", {}),
        ("data #>> '{flag}' IS NULL AND data #>> '{a,b,c}' IS NULL", {}),
        ("(data ->> 'flag')::boolean", {}),
        ("NOT (data ->> 'flag')::boolean", {}),
        ("((data ->> 'flag')::boolean) IS NULL", {}),
        ("""data = '{"flag": " Off ", "b": 1, "a": [1, 2.0]}'""", {}),
        ("""data IN ('{"flag": "yes", "flag": " Off ", "a": [1, 2.0], "b": 1}', '{}')""", {}),
        ("data @> :part", {"part": {"a": {"b": "x"}}}),
        ("data @> :part::jsonb", {"part": {}}),
        ("data @> :part", {"part": {"a": [2]}}),
    )
)
GROUPS = (
    "SELECT lower(town), sum(visits) FROM place GROUP BY town ORDER BY 1",
    "SELECT count(*) FROM place GROUP BY town HAVING town = 'KÖLN' OR town > 'b' ORDER BY 1",
    "SELECT lower(x.town) FROM (SELECT DISTINCT town FROM place) x ORDER BY 1",
    "SELECT count(*) FROM (SELECT DISTINCT town, visits > 2 FROM place) x",
)
UPDATES = (
    """UPDATE place SET visits = q.n FROM (SELECT place_id, sum(people) AS n FROM visit GROUP BY place_id) q
    WHERE q.place_id = place.id""",
    "UPDATE place SET visits = visits + q.n FROM (SELECT max(people) AS n FROM visit) q WHERE place.id > 4",
)
LISTS = (
    "SELECT array_agg(DISTINCT mood ORDER BY mood) FROM item",
    "SELECT array_agg(DISTINCT mood ORDER BY mood DESC) FROM item",
)
ADDED = """INSERT INTO {table} ({columns}) SELECT {casts}
FROM (VALUES {rows}) AS imp_sen({names}, sen_counter) ORDER BY sen_counter RETURNING {table}.id"""
ROWS: tuple[dict[str, object], ...] = (
    {"id": ONE, "name": "one", "n": 1, "mood": "ok", "seen": None},
    {"id": TWO, "name": None, "n": 2, "mood": None, "seen": datetime(2024, 1, 2, tzinfo=UTC)},
)
CASTS = {"id": "uuid", "name": "varchar", "n": "integer", "mood": "mood", "seen": "timestamptz"}


items = beside_of(TABLES, scope="module")
"""The tables in a database of their own, and loaded."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("sql", "values"), [*READS, *((sql, {}) for sql in GROUPS)])
def test_answers_are_postgresqls(items: Beside, sql: str, values: Mapping[str, object]) -> None:
    """Escapes, bytes, JSON, and groups of texts whatever their case."""
    sent = {name: Jsonb(value) if isinstance(value, dict) else value for name, value in values.items()}
    ours = Store(items.proposal, items.database).execute(sql, **values)
    assert [tuple(row.values()) for row in ours] == items.theirs(sql, sent)


@pytest.mark.parametrize("sql", LISTS)
def test_an_enum_may_order_its_own_list(items: Beside, sql: str) -> None:
    """It comes in the order of its type, which psycopg gives as a text."""
    ((ours,),) = (row.values() for row in Store(items.proposal, items.database).execute(sql))
    assert isinstance(ours, list)
    assert [("{" + ",".join(ours) + "}",)] == items.theirs(sql)


@pytest.mark.parametrize("sent", ["", "::{kind}"])
def test_rows_that_sqlalchemy_adds_at_once_are_added(items: Beside, sent: str) -> None:
    """As SQLAlchemy writes them with psycopg, which says each type, and without; what is returned is in their order."""
    cells = {f"{name}__{at}": value for at, row in enumerate(ROWS) for name, value in row.items()}
    rows = ", ".join(
        "(" + "".join(f":{name}__{at}{sent.format(kind=CASTS[name])}, " for name in CASTS) + f"{at})" for at in (0, 1)
    )
    names = [f"p{place}" for place in range(len(CASTS))]
    casts = ", ".join(f"{name}::{kind}" for name, kind in zip(names, CASTS.values(), strict=True))
    sql = ADDED.format(table="item", columns=", ".join(CASTS), casts=casts, rows=rows, names=", ".join(names))
    store, shown = (
        Store(items.proposal, items.database),
        f"SELECT {', '.join(CASTS)} FROM item WHERE id = ANY(:ids) ORDER BY id",
    )
    ours, theirs = store.execute(sql, **cells), items.theirs(sql, cells)
    assert [tuple(row.values()) for row in ours] == theirs == [(ONE,), (TWO,)]
    kept = [tuple(map(written, row.values())) for row in store.execute(shown, ids=[ONE, TWO])]
    assert kept == items.theirs(shown, {"ids": [ONE, TWO]})
    for each in (ONE, TWO):
        assert store.execute("DELETE FROM item WHERE id = :id", id=each).affected == 1
        items.theirs("DELETE FROM item WHERE id = :id", {"id": each})


def test_numbered_rows_that_sqlalchemy_adds_have_numbers_in_their_order(items: Beside) -> None:
    """Which is how it finds out what number each of its objects has."""
    sql = ADDED.format(
        table="place",
        columns="town, visits",
        casts="p0::citext, p1::integer",
        names="p0, p1",
        rows="(:a, 1, 0), (:b, 2, 1)",
    )
    values = {"a": "Bonn", "b": "Ulm"}
    ours = Store(items.proposal, items.database).execute(sql, **values)
    assert [tuple(row.values()) for row in ours] == items.theirs(sql, values) == [(7,), (8,)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT p0::text FROM (VALUES ('2024-01-01'::date, 0), (:at, 1)) AS x(p0, n) ORDER BY n",
        "SELECT p0::text FROM (VALUES (1, 0), (2.50, 1)) AS x(p0, n) ORDER BY n LIMIT 1",
        "SELECT DISTINCT p0 FROM (VALUES ('a', 0), ('a', 1)) AS x(p0, n)",
        "SELECT max(p0) FROM (VALUES ('a', 0), ('b', 1)) AS x(p0, n)",
    ],
)
def test_a_query_of_values_that_is_more_stays_a_query(sql: str) -> None:
    """One that leaves rows out, or makes one type of several."""
    tree = parse_one(sql, dialect="postgres")
    assert as_values(tree) is tree


def test_values_of_groups_are_stored(items: Beside) -> None:
    """UPDATE from a query that has one row for each key."""
    for sql in UPDATES:
        Store(items.proposal, items.database).execute(sql)
        items.theirs(sql)
        shown = "SELECT id, visits FROM place ORDER BY id"
        ours = Store(items.proposal, items.database).execute(shown)
        assert [tuple(row.values()) for row in ours] == items.theirs(shown), sql


def test_values_of_groups_by_more_than_what_is_compared_are_a_gap(items: Beside) -> None:
    """There may be several; the gap says where, and what it is about."""
    groups = "SELECT place_id, people, count(*) AS n FROM visit GROUP BY 1, 2"
    sql = f"UPDATE place SET visits = q.n FROM ({groups}) q WHERE q.place_id = place.id"
    with pytest.raises(GapError, match="several rows for one"):
        Store(items.proposal, items.database).execute(sql)


@pytest.mark.parametrize(
    ("sql", "where", "text"),
    [
        ("SELECT n,\n  id FROM item WHERE data = :data", "2:22", "data ="),
        ("SELECT id FROM item WHERE data IN :data", "1:27", "data IN"),
        ("SELECT id::text FROM item", "1:8", "CAST(id AS TEXT)"),
        ("SELECT id,\n  to_char(n, '999') FROM item", "2:11", "TO_CHAR(n, '999')"),
        ("SELECT name,\n  max(id::text) FROM item GROUP BY 1", "2:7", "CAST(id AS TEXT)"),
        ("SELECT name FROM (SELECT name, power(2, 3) AS n FROM item) x\nWHERE n > 1", "1:38", "POWER(2, 3)"),
        ("UPDATE item SET name = 'a',\n  data = NULL WHERE name = id::text", "2:28", "CAST(id AS TEXT)"),
        ("SELECT id FROM item WHERE name = 'a' AND data @> name::jsonb", "1:42", "data @>"),
    ],
)
def test_a_gap_says_where_and_what(items: Beside, sql: str, where: str, text: str) -> None:
    """Also one that comes to light behind the translation."""
    found = pipeline.convert(items.proposal, sql)
    assert isinstance(found, NotCompiled)
    assert found.gap.where == where
    assert text in found.gap.text
