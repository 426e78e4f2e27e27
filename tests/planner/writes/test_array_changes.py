"""Arrays that a write makes of others, or writes down, beside PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import pytest
import sqlalchemy as sa
from pymongo import MongoClient

from nestling import pipeline
from nestling.common.errors import GapError
from nestling.ir.programs.program import CompiledWrite
from nestling.store import Store
from tests.planner.reads.beside_postgresql import STRATEGIES, Served, served_by_strategies

TABLES = """
CREATE TYPE grade AS ENUM ('low', 'high');
CREATE TABLE shelf (id integer PRIMARY KEY, code text NOT NULL);
CREATE TABLE book (id integer PRIMARY KEY, shelf_id integer REFERENCES shelf, name text, rank integer, tags text[],
    marks integer[], rates numeric(6, 2)[], shares float8[], keys uuid[], grades grade[], flags boolean[], days date[]);
INSERT INTO shelf VALUES (1, 'a'), (2, 'b');
"""
ROWS = """
DELETE FROM book;
INSERT INTO book VALUES (1, 1, 'x', 3, '{x,y,x,NULL}', '{1,2,3}', '{1.50}', '{0.5}', '{}', '{low}', '{t}', '{2024-01-31}'),
    (2, 1, NULL, NULL, '{}', '{NULL}', NULL, NULL, NULL, NULL, NULL, NULL),
    (3, 2, 'y', 2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (4, NULL, 'a,b', 1, '{"a,b"}', '{1}', NULL, NULL, NULL, NULL, NULL, NULL);
"""
KEY = "a0000000-0000-0000-0000-00000000000a"
CHANGES: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("tags = array_append(tags, 'z')", {}),
    ("tags = array_append(tags, :tag)", {"tag": "$z"}),
    ("tags = array_append(tags, :tag)", {"tag": None}),
    ("tags = array_append(tags, name)", {}),
    ("tags = array_prepend(upper(name), tags)", {}),
    ("tags = array_remove(tags, 'x')", {}),
    ("tags = array_remove(tags, :tag)", {"tag": "a,b"}),
    ("tags = array_remove(tags, NULL)", {}),
    ("tags = array_remove(tags, :tag)", {"tag": None}),
    ("tags = array_remove(tags, name)", {}),
    ("tags = array_append(array_remove(tags, :tag), :tag)", {"tag": "x"}),
    ("tags = array_append(coalesce(tags, '{}'), :tag)", {"tag": "x"}),
    ("tags = array_remove(coalesce(tags, ARRAY['q']::text[]), 'x')", {}),
    ("tags = tags || ARRAY['p', 'q']", {}),
    ("tags = tags || '{p,NULL}'", {}),
    ("tags = tags || tags", {}),
    ("tags = tags || name", {}),
    ("tags = name || tags", {}),
    ("tags = tags || :tag::text", {"tag": "z"}),
    ("tags = tags || :tags::text[]", {"tags": ["p", "q"]}),
    ("tags = array_cat(tags, ARRAY[name, :tag])", {"tag": "z"}),
    ("tags = ARRAY['a,b', '', 'NULL', NULL, '{}', '\"q\"', 'back\\slash']", {}),
    ("tags = ARRAY[name, :tag, 'c']", {"tag": "z"}),
    ("tags = ARRAY[]::text[]", {}),
    ("tags = ARRAY(SELECT code FROM shelf ORDER BY code DESC)", {}),
    ("tags = ARRAY(SELECT code FROM shelf WHERE shelf.id = book.shelf_id)", {}),
    ("tags = CASE WHEN 'x' = ANY(tags) THEN array_remove(tags, 'x') ELSE array_append(tags, 'x') END", {}),
    ("marks = array_append(marks, rank)", {}),
    ("marks = array_append(marks, 7)", {}),
    ("marks = array_append(marks, 2.5)", {}),
    ("marks = array_remove(marks, 1.5)", {}),
    ("marks = array_remove(marks, :mark)", {"mark": Decimal("1.5")}),
    ("rates = array_remove(rates, :rate)", {"rate": 1.5}),
    ("shares = array_remove(shares, :rate)", {"rate": Decimal("0.5")}),
    ("marks = array_remove(marks, :mark)", {"mark": 1}),
    ("marks = ARRAY[1, rank, :mark::int]", {"mark": 5}),
    ("rates = array_append(rates, 2.5)", {}),
    ("rates = ARRAY[1, 2.257]", {}),
    ("shares = array_append(shares, 1)", {}),
    ("shares = array_remove(shares, 0.5)", {}),
    ("keys = array_append(keys, :key)", {"key": KEY}),
    (f"keys = ARRAY['{KEY}']::uuid[]", {}),
    ("grades = array_append(grades, 'high')", {}),
    ("grades = ARRAY['high', 'low']::grade[]", {}),
    ("flags = array_append(flags, false)", {}),
    ("flags = ARRAY[true, NULL]", {}),
    ("days = array_append(days, '2024-02-01')", {}),
    ("days = array_remove(days, DATE '2024-01-31')", {}),
)  # fmt: skip
COLUMNS = "id, shelf_id, tags, marks, rates, shares, keys, grades::text[] AS grades, flags, days"


@pytest.fixture(scope="module")
def served(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Served]:
    """The tables in PostgreSQL and by each strategy."""
    with served_by_strategies(postgresql, mongo_client, TABLES + ROWS) as found:
        yield found


def _theirs(engine: sa.Engine, sql: str, values: Mapping[str, object]) -> list[tuple[object, ...]]:
    with engine.begin() as connection:
        connection.exec_driver_sql(ROWS)
        connection.exec_driver_sql(re.sub(r"(?<!:):(\w+)", r"%(\1)s", sql), dict(values) or None)
        return [tuple(row) for row in connection.exec_driver_sql(f"SELECT {COLUMNS} FROM book ORDER BY id")]


def _ours(store: Store) -> list[tuple[object, ...]]:
    return [
        tuple(row.values())
        for row in store.execute(f"SELECT {COLUMNS.replace('::text[] AS grades', '')} FROM book ORDER BY id")
    ]


@pytest.mark.one_in(4)
@pytest.mark.in_turn("strategy")
@pytest.mark.parametrize(("change", "values"), CHANGES)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_rows_are_postgresqls(served: Served, change: str, values: Mapping[str, object], strategy: str) -> None:
    """Of NULL, of NULL elements and of what looks like an operator."""
    engine, designs = served
    proposal, database = designs[strategy]
    store = Store(proposal, database)
    for statement in filter(str.strip, ROWS.split(";\n")):
        store.execute(statement)
    sql = f"UPDATE book SET {change}"
    theirs = _theirs(engine, sql, values)
    store.execute(sql, **values)
    assert _ours(store) == theirs


INSERTS: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("(9, ARRAY['p', NULL, 'a,b'], ARRAY[1, 2])", {}),
    ("(9, ARRAY[:tag, 'p'], ARRAY[]::int[])", {"tag": "z"}),
    ("(9, ARRAY[:tag]::text[], NULL), (8, '{a}', ARRAY[3])", {"tag": None}),
    ("(9, '{z}', ARRAY[1, :mark]), (8, ARRAY['q'], '{3}')", {"mark": 4}),
)


@pytest.mark.in_turn("strategy")
@pytest.mark.parametrize(("rows", "values"), INSERTS)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_new_rows_are_postgresqls(served: Served, rows: str, values: Mapping[str, object], strategy: str) -> None:
    """Of constants and of what is given."""
    engine, designs = served
    store = Store(*designs[strategy])
    for statement in filter(str.strip, ROWS.split(";\n")):
        store.execute(statement)
    sql = f"INSERT INTO book (id, tags, marks) VALUES {rows}"
    theirs = _theirs(engine, sql, values)
    store.execute(sql, **values)
    assert _ours(store) == theirs


GAPS = {
    "UPDATE book SET tags = tags || :tag": "cast it, as `:tag::text`",
    "UPDATE book SET tags = ARRAY(SELECT DISTINCT code FROM shelf)": "ARRAY of a SELECT",
    "UPDATE book SET tags[2] = 'x'": "an assignment to an element of an array",
}


@pytest.mark.parametrize(("sql", "why"), GAPS.items())
def test_what_is_not_certain_is_a_gap(served: Served, sql: str, why: str) -> None:
    """Whether a parameter is an element or an array, above all."""
    proposal, database = served[1]["normalized"]
    with pytest.raises(GapError, match=re.escape(why)):
        Store(proposal, database).execute(sql, **({"tag": "x"} if ":tag" in sql else {}))


def test_an_element_is_added_without_a_read(served: Served) -> None:
    """One command, which makes the array of the one that is there."""
    proposal, _ = served[1]["normalized"]
    found = pipeline.convert(
        proposal, "UPDATE book SET tags = array_append(tags, 'x') WHERE id = 1", dialect="postgresql"
    )
    assert isinstance(found, CompiledWrite)
    (command,) = found.steps
    assert "$concatArrays" in repr(command)


def test_elements_are_kept_as_their_type_says(served: Served) -> None:
    """Rounded to its digits, also of a SELECT's rows."""
    engine, designs = served
    store = Store(*designs["normalized"])
    for statement in filter(str.strip, ROWS.split(";\n")):
        store.execute(statement)
    for rows in (
        "VALUES (9, ARRAY[2.257, 1])",
        "VALUES (9, ARRAY[:rate, 3])",
        "SELECT id + 10, ARRAY[2.257, rank] FROM book",
    ):
        sql = f"INSERT INTO book (id, rates) {rows}"
        values = {"rate": Decimal("0.125")} if ":rate" in rows else {}
        theirs = _theirs(engine, sql, values)
        store.execute("DELETE FROM book WHERE id > 8")
        store.execute(sql, **values)
        assert _ours(store) == theirs
