"""Changes of jsonb beside PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from psycopg.types.json import Jsonb
from pymongo import MongoClient

from nestling.common.errors import GapError, NestlingError, WorkloadError
from nestling.store import Store
from tests.planner.reads.beside_postgresql import STRATEGIES, Served, beside, served_by_strategies

TABLES = """
CREATE TABLE person (id integer PRIMARY KEY, name text);
CREATE TABLE note (id integer PRIMARY KEY, person_id integer REFERENCES person, name text, n integer, data jsonb, raw json);
INSERT INTO person VALUES (1, 'x');
"""
ROWS = """
DELETE FROM note;
INSERT INTO note VALUES (1, 1, 'x', 3, '{"a": 1, "b": {"c": [1, 2], "d": null}, "e.f": "$x"}', '{}'),
    (2, 1, NULL, NULL, '{}', NULL);
INSERT INTO note VALUES (3, NULL, 'y', 5, NULL, NULL), (4, 1, 'z', 0, '{"b": 5, "price": 1.50}', NULL);
"""
CHANGES: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("""data || '{"a": 2, "new": {"x": 1.50}}'""", {}),
    ("""data || '{"b": null}'::jsonb || '{"c": [1]}'""", {}),
    ("""coalesce(data, '{}') || '{"a": 0.10}'""", {}),
    ("data || :patch", {"patch": {"a": [1, "$y"], "z": None}}),
    ("data || :patch::jsonb", {"patch": {"a": 7}}),
    ("data || data", {}),
    ("data - 'a'", {}),
    ("data - 'e.f' - 'none'", {}),
    ("(data - 'a') || '{\"q\": 1}'", {}),
    ("jsonb_set(data, '{a}', '5')", {}),
    ("jsonb_set(data, '{a}', '\"text\"')", {}),
    ("jsonb_set(data, '{new}', '{\"x\": [1]}')", {}),
    ("jsonb_set(data, '{b,c}', 'true')", {}),
    ("jsonb_set(data, '{b,new}', '1.50')", {}),
    ("jsonb_set(data, '{none,new}', '1')", {}),
    ("jsonb_set(data, '{e.f}', to_jsonb(name))", {}),
    ("jsonb_set(data, '{n}', to_jsonb(n + 1))", {}),
    ("jsonb_set(coalesce(data, '{}'), '{n}', to_jsonb(:x::text))", {"x": "$n"}),
    ("jsonb_set(data, '{n}', to_jsonb(:x::int))", {"x": 4}),
)  # fmt: skip
GAPS = {
    "data || '[1]'": "a value that is not an object",
    "raw || '{}'": "an operator of json (",
    "data - 1": "whose key is not a constant text",
    "jsonb_set(data, '{a,0}', '1')": "such as a position in an array",
    "jsonb_set(data, '{a}', 'null')": "JSONB_SET() to a JSON null",
    "jsonb_set(data, '{a}', '1', false)": "JSONB_SET() of other than",
    "jsonb_set(data, '{a}', to_jsonb(1.5))": "JSONB_SET() to decimal",
    "jsonb_set(data, '{a}', :x)": "write `to_jsonb(:x::text)`",
}


@pytest.fixture(scope="module")
def served(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Served]:
    """The tables in PostgreSQL and by each strategy."""
    with served_by_strategies(postgresql, mongo_client, TABLES + ROWS) as found:
        yield found


def _filled(store: Store) -> Store:
    for statement in filter(str.strip, ROWS.split(";\n")):
        store.execute(statement)
    return store


@pytest.mark.one_in(2)
@pytest.mark.in_turn("strategy")
@pytest.mark.parametrize(("change", "values"), CHANGES)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_rows_are_postgresqls(served: Served, change: str, values: Mapping[str, object], strategy: str) -> None:
    """To the digits of numbers; what looks like an operator or a path is data."""
    engine, designs = served
    store = _filled(Store(*designs[strategy]))
    sql, shown = f"UPDATE note SET data = {change}", "SELECT id, data, data->>'price' AS price FROM note ORDER BY id"
    given = {name: Jsonb(value) if isinstance(value, dict) else value for name, value in values.items()}
    with engine.begin() as connection:
        connection.exec_driver_sql(ROWS)
        connection.exec_driver_sql(re.sub(r"(?<!:):(\w+)", r"%(\1)s", sql), given or None)
        theirs = [tuple(row) for row in connection.exec_driver_sql(shown)]
    store.execute(sql, **values)
    assert [tuple(row.values()) for row in store.execute(shown)] == theirs


@pytest.mark.parametrize(("change", "why"), GAPS.items())
def test_what_is_not_certain_is_a_gap(served: Served, change: str, why: str) -> None:
    """Places in arrays, and a value that is not an object."""
    with pytest.raises(GapError, match=re.escape(why)):
        Store(*served[1]["normalized"]).execute(
            f"UPDATE note SET data = {change}", **({"x": 1} if ":x" in change else {})
        )


def test_what_is_no_object_fails(served: Served) -> None:
    """Nothing of the statement stays."""
    store = _filled(Store(*served[1]["normalized"]))
    store.execute("UPDATE note SET data = '[1]' WHERE id = 2")
    for change in ("data || '{}'", "data - 'a'", "jsonb_set(data, '{a}', '1')"):
        with pytest.raises(NestlingError, match="only objects can be changed, not JSON stored as: array"):
            store.execute(f"UPDATE note SET data = {change}")
    with pytest.raises(NestlingError, match="only objects can be changed"):
        store.execute("UPDATE note SET data = data || :patch WHERE id = 1", patch=[1])
    with pytest.raises(WorkloadError, match="is not JSON"):
        store.execute("UPDATE note SET data = data || '{'")
    assert next(row["data"] for row in store.execute("SELECT data FROM note WHERE id > 1 ORDER BY id")) == [1]


def test_keys_have_the_order_of_jsonb(served: Served) -> None:
    """After every change objects are equal to constants that name their keys in another order."""
    for change in ('data || \'{"zz": 1, "a": 2}\'', "jsonb_set(jsonb_set(data, '{zz}', '1'), '{a}', '2')"):
        store = _filled(Store(*served[1]["normalized"]))
        store.execute(f"UPDATE note SET data = {change} WHERE id = 4")
        found = store.execute("""SELECT id FROM note WHERE data = '{"zz": 1, "price": 1.50, "b": 5, "a": 2}'""")
        assert [row["id"] for row in found] == [4]
    store = _filled(Store(*served[1]["normalized"]))
    store.execute('UPDATE note SET data = \'{"b": {"dd": 1, "c": 2}}\' WHERE id = 4')
    store.execute("UPDATE note SET data = jsonb_set(data, '{b,a}', '3') WHERE id = 4")
    assert [
        row["id"] for row in store.execute("""SELECT id FROM note WHERE data = '{"b": {"dd": 1, "c": 2, "a": 3}}'""")
    ] == [4]


@pytest.mark.thorough
def test_keys_have_their_order_where_texts_are_found_in_any_case(
    postgresql: str, mongo_client: MongoClient[dict[str, Any]]
) -> None:
    """A collation that finds a citext by an index would order the keys, too."""
    tables = """
    CREATE EXTENSION citext;
    CREATE TABLE account (id integer PRIMARY KEY, login citext NOT NULL UNIQUE, data jsonb);
    INSERT INTO account VALUES (1, 'Ann', '{"z": 1}');
    """
    with beside(postgresql, mongo_client, tables) as found:
        store = Store(found.proposal, found.database)
        store.execute("""UPDATE account SET data = data || '{"a": 1, "B": 2}' WHERE login = 'ANN'""")
        assert [*(found.database["account"].find_one() or {})["data"]] == ["B", "a", "z"]
