"""PostgreSQL's `->>` beside PostgreSQL: texts, truth values, whole numbers and what has no such key, by every strategy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from pymongo import MongoClient

from nestling import pipeline
from nestling.common.errors import GapError, NestlingError, ReadError, WorkloadError
from nestling.emitters.python_code import module
from nestling.ir.programs.compiled import CompiledRead
from nestling.store import Store
from tests.planner.reads.beside_postgresql import STRATEGIES, Served, created, served_by_strategies

TABLES = """
CREATE TABLE person (id integer PRIMARY KEY, name text, contact jsonb, raw json);
CREATE TABLE visit (id integer PRIMARY KEY, person_id integer NOT NULL REFERENCES person ON DELETE CASCADE, data jsonb);
INSERT INTO person VALUES
    (1, '123', '{"phone": "123", "a": {"b": "deep", "a.b": "x"}, "a.b": "dotted", "": "empty"}', '{"phone": "123"}'),
    (2, 'true', '{"phone": null, "a": [{"b": "deep"}], "on": true}', '{"phone": "x", "on": false}'),
    (3, '42', '{"phone": 42, "a": {"b": ["deep"]}, "on": false}', '{"phone": 42}'),
    (4, NULL, NULL, NULL), (5, 'x', 'null', 'null'), (6, 'y', '"phone"', '"phone {"'),
    (7, 'z', '[{"phone": "123"}, "phone"]', '[{"phone": "1", "phone": "2"}]'),
    (8, 'w', '7', 'true'), (9, 'v', '{}', '{}'), (10, 'u', '{"phone": "", "a": "deep"}', '{"phone": "NULL"}'),
    (11, 't', '{"phone": "true", "on": "true", "a": {"b": {}}}', '{"phone": "42"}'),
    (12, 's', '{"phone": 9007199254740993, "a": {"b": null}}', '{"phone": -5}'), (13, 'ß', '{"phone": "É$x"}', '{"phone": "$x"}');
INSERT INTO visit VALUES (1, 1, '{"kind": "home"}'), (2, 1, '{"kind": "Home", "n": 1}'), (3, 2, NULL), (4, 3, '{"n": 2}');
"""
ODD = """
CREATE TABLE odd (id integer PRIMARY KEY, contact jsonb, raw json);
INSERT INTO odd VALUES (1, '{"n": 1.50}', '{"n": 1.50}'), (2, '{"n": {"b": 1}}', '{"n": [1,  2]}'),
    (3, '{"$n": 1, "n": "x"}', NULL), (4, NULL, ' {"n": "1", "n": "2"}'),
    (5, '{"n": 0.1}', '{"n": 1e3}'), (6, '{"n": 1e-9}', '{"n": 123456789012345678901234567890}');
CREATE TABLE price (id integer PRIMARY KEY, data jsonb);
INSERT INTO price SELECT at, jsonb_build_object('n', n, 'in', jsonb_build_object('n', n)) FROM unnest(ARRAY[
    1.50, 0.1, 0.10, 1.0, 0.0, 0, -2.5, 1e3, 1.5e-3, 0.0001, 0.00012345678901234567, 100000000000000.5, 1234567890123456.7, 1e20,
    123456789012345678901234567890, 0.30000000000000004, 0.000001, 12345678.90123456789, -0.10, 1.00000000000000000000,
    9.99, 3.333333333333333, 123456.789, 0.1e1, 1e15, 1000000000000000.0, 99999999999999.9
    ]::numeric[]) WITH ORDINALITY AS x (n, at);
INSERT INTO price VALUES (100, '{"n": {"$a": 1.50}}'), (101, '[0.10, {"x": 2.00}]');
"""
CONDITIONS = (
    'contact @> \'{"phone": "123"}\'',
    "contact @> '{\"phone\": 42}'",
    "contact @> '{\"phone\": 42.0}'",
    "contact @> '{\"phone\": null}'",
    'contact @> \'{"on": true, "phone": null}\'::jsonb',
    'contact @> \'{"a": {"b": "deep"}}\'',
    'contact @> \'{"a": {"b": {}}}\'',
    'contact @> \'{"a": {"b": ["deep"]}}\'',
    'contact @> \'{"a": [{"b": "deep"}]}\'',
    "contact @> '{\"a\": []}'",
    "contact @> '{}'",
    "contact @> '[]'",
    'contact @> \'[{"phone": "123"}]\'',
    "contact @> '[\"phone\"]'",
    "contact @> '\"phone\"'",
    "contact @> '7'",
    "contact @> 'null'",
    "contact @> '{\"phone\": 9007199254740993}'",
    'contact @> \'{"a.b": "dotted"}\'',
    'contact @> \'{"": "empty"}\'',
    "'{\"on\": false}' <@ contact",
    'NOT contact @> \'{"phone": "123"}\'',
    "(contact @> '{}') IS NULL",
    "contact->'a' @> '{\"b\": \"deep\"}'",
    "contact->'a' @> '\"deep\"'",
    "(contact->'a' @> '[]') IS NULL",
    "contact->'phone' = '\"123\"'",
    "contact->'phone' = '42.0'::jsonb",
    "'null'::jsonb = (contact->'phone')",
    "(contact->'on') <> 'true'::jsonb",
    "contact->'a' = '\"deep\"' OR contact->'a'->'b' = '\"deep\"'::jsonb",
    "contact#>>ARRAY['a','a.b']::text[] = 'x'",
    "contact#>'{a,b}' = '\"deep\"'",
    "(contact#>ARRAY['on'])::jsonb = 'true'::jsonb",
    "contact#>'{a}'->>'a.b' = 'x' OR contact#>'{a,b}' IS NULL",
    "contact#>'{a}' @> '{\"b\": \"deep\"}' OR contact->'a'#>'{b}' ? 'deep'",
    "contact ? 'phone'",
    "contact ? 'a.b'",
    "contact ? ''",
    "NOT contact ? 'on'",
    "contact->'a' ? 'b'",
    "contact->'a' ? 'deep'",
    "contact->'a'->'b' ? 'deep'",
    "contact ?| array['on', 'a']",
    "contact ?& array['on', 'a']",
    "contact ? 'phone' AND contact->>'phone' = '42'",
    "contact->>'phone' = '123'",
    "contact->>'phone' <> '123'",
    "contact->>'phone' = '42'",
    "contact->>'on' = 'true'",
    "contact->>'phone' IN ('123', 'true', '9007199254740993')",
    "contact->>'phone' NOT IN ('123', NULL)",
    "contact->>'phone' = ANY (ARRAY['123', ''])",
    "contact->>'phone' IS NULL",
    "contact->'phone' IS NULL",
    "(contact->'on') IS NOT NULL",
    "contact->'a'->'b' IS NULL",
    "NOT contact->'a'->'b' IS NULL AND id > 1",
    "(contact->'phone' IS NULL) = (contact->'on' IS NULL)",
    "contact->>'phone' LIKE '%2%'",
    "contact->>'phone' ~ '^[0-9]+$'",
    "lower(contact->>'phone') = 'true'",
    "contact->>'phone' = name",
    "contact->>'phone' IS NOT DISTINCT FROM raw->>'phone'",
    "contact->>'' = 'empty'",
    "contact->>'a.b' = 'dotted'",
    "contact->'a'->>'a.b' = 'x'",
    "(contact->'a')->>'c' IS NULL",
    "contact->>'$x' IS NULL",
    "contact->>'id' IS NULL AND contact->'phone'->>'0' IS NULL",
    "raw->>'phone' = '$x'",
    "raw->>'on' = 'false' OR raw->>'phone' = '-5'",
    "coalesce(contact->>'phone', raw->>'phone', 'none') = 'none'",
    "(contact->>'phone')::text || 'x' = '42x'",
    "CASE WHEN contact->>'phone' = '42' THEN (contact->>'phone')::int > 41 ELSE false END",
    "coalesce(contact->'a'->>'a.b', '-') = '-'",
    "upper((contact)->'a'->>'a.b') = 'X' OR concat('<', contact->'a'->>'c', '>') = '<x>'",
    "coalesce(name, contact->'a'->>'b', '-') IN (contact->'a'->>'a.b', 'ß')",
    "EXISTS (SELECT 1 FROM visit v WHERE v.person_id = person.id AND v.data->>'kind' = 'home')",
)
STATEMENTS = (
    "SELECT id, contact->>'phone' AS phone, raw->>'phone' AS raw FROM person ORDER BY id",
    "SELECT id, contact->'a'->>'b' AS b FROM person WHERE id NOT IN (3, 11) ORDER BY id",
    "SELECT max(contact->'a'->>'a.b') AS most, count(contact->'a'->>'a.b') AS n FROM person",
    "SELECT count(DISTINCT contact->'a'->>'c') AS n, min((contact)->'a'->>'a.b') AS least FROM person",
    "SELECT lower(contact->'a'->>'a.b') AS b, count(*) AS n FROM person GROUP BY lower(contact->'a'->>'a.b') ORDER BY 1",
    "SELECT contact->>'on' AS state, count(*) AS n FROM person GROUP BY 1 ORDER BY 1 NULLS FIRST",
    "SELECT p.id, data->>'kind' AS kind, data->>'n' AS n FROM person p LEFT JOIN visit v ON person_id = p.id ORDER BY p.id, v.id",
    "SELECT id FROM visit WHERE data->>'kind' = 'home' OR data->>'n' = '2' ORDER BY 1",
    "SELECT p.id FROM person p JOIN visit v ON v.person_id = p.id WHERE v.data->>'kind' = 'Home' ORDER BY 1",
)
PLACES = """
CREATE TABLE list (id integer PRIMARY KEY, b jsonb, j json);
INSERT INTO list SELECT n, said::jsonb, said::json FROM unnest(ARRAY['[]', '["a", "b", null, "d"]', '[[1, 2], ["x"]]',
    '{"0": "zero", "a": ["p", "q"]}', '{"a": {"0": "zero", "-1": "last"}, "t": [{"k": "v"}, {"k": "w", "l": ["m"]}]}',
    '{"a": "text", "t": null}', '5', 'true', NULL, '[true, 7, "7"]', '{"a": [null], "t": []}', '{"a": 5, "t": [[]]}', '[null]',
    '{"t": {}}']) WITH ORDINALITY AS x (said, n);
INSERT INTO list VALUES (50, '"text"', '"text"'), (51, '[{"$x": 1}, 2]', '[{"$x": 1}, 2]'), (52, 'null', 'null');
"""
PLACED = (
    "->>0", "->>-1", "->>(-2)", "->>1", "->>9", "->>-9", "->0->>0", "->1->>0", "->0->>1", "->'a'->>0", "->'a'->>-1", "->'a'->>1",
    "->'t'->0->>'k'", "->'t'->-1->>'k'", "->'t'->1->'l'->>0", "#>>'{0}'", "#>>'{a,0}'", "#>>'{a,-1}'", "#>>'{t,1,k}'",
    "#>>'{t,-1,l,0}'", "#>'{t,0}'->>'k'", "->'t'#>>'{1,l,-1}'", "#>>ARRAY['t','0','k']",
)  # fmt: skip
GAPS = (
    "contact->'a' = '{}'",
    "contact->'a' = '[\"deep\"]'::jsonb",
    "raw->'phone' = '\"123\"'",
    "contact#>>ARRAY['a',name] = 'x'",
    "contact#>'{a,0}' = '\"x\"'",
    "contact->0 IS NULL",
    "contact->'a'->0 @> '{}'",
    "contact->>3000000000 = 'x'",
    "contact->>name = 'x'",
    "contact#>>'{a,01}' = 'x'",
    "jsonb_array_length(to_jsonb(name)) = 1",
    "raw @> '{\"a\": 1}'",
    "contact @> raw::jsonb",
    "name->>'a' = 'x'",
)


@pytest.fixture(scope="module")
def served(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Served]:
    """The tables in a database of their own, and loaded by each strategy."""
    with served_by_strategies(postgresql, mongo_client, TABLES + ODD + PLACES) as found:
        yield found


def theirs(engine: sa.Engine, sql: str, given: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    with engine.connect() as connection:
        found = connection.exec_driver_sql(sql.replace("%", "%%") if given is None else sql, given or ())
        return [dict(row) for row in found.mappings()]


@pytest.mark.in_turn("strategy")
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions_keep_postgresqls_rows(served: Served, condition: str, strategy: str) -> None:
    """With the condition and with its NOT."""
    engine, designs = served
    store = Store(*designs[strategy])
    for form in (condition, f"NOT ({condition})"):
        sql = f"SELECT id FROM person WHERE {form} ORDER BY id"
        assert [dict(row) for row in store.execute(sql)] == theirs(engine, sql), form


@pytest.mark.in_turn("strategy")
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("sql", STATEMENTS)
def test_answers_are_postgresqls(served: Served, sql: str, strategy: str) -> None:
    """Values, groups and joins."""
    engine, designs = served
    assert [dict(row) for row in Store(*designs[strategy]).execute(sql)] == theirs(engine, sql)


@pytest.mark.parametrize("given", ["123", "42", "$x", "", None])
def test_parameters_are_postgresqls(served: Served, given: str | None) -> None:
    """By the store and by the functions written in Python."""
    engine, designs = served
    proposal, database = designs["normalized"]
    sql = "SELECT id FROM person WHERE contact->>'phone' = %(a)s OR raw->>'phone' = %(a)s ORDER BY id"
    expected = theirs(engine, sql, {"a": given})
    mine = sql.replace("%(a)s", ":a")
    assert [dict(row) for row in Store(proposal, database).execute(mine, a=given)] == expected
    read = pipeline.convert(proposal, mine)
    assert isinstance(read, CompiledRead), read
    space: dict[str, Any] = {}
    exec(compile(module([read]), "queries.py", "exec"), space)
    assert space["statement"](database, a=given) == expected


@pytest.mark.parametrize(
    ("column", "number"), [("contact", n) for n in (2, 3, 6)] + [("raw", n) for n in (1, 2, 4, 5, 6)]
)
def test_what_postgresql_writes_by_its_own_rules_fails(served: Served, column: str, number: int) -> None:
    """Numbers with many zeros behind the point, objects, arrays, fractions of json, and JSON that is kept as its text."""
    with pytest.raises(NestlingError, match="the text that PostgreSQL writes is not known"):
        Store(*served[1]["normalized"]).execute(f"SELECT {column}->>'n' AS n FROM odd WHERE id = {number}")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_numbers_of_jsonb_keep_their_digits(served: Served, strategy: str) -> None:
    """Their texts are PostgreSQL's, and what is written keeps them too."""
    engine, designs = served
    store = Store(*designs[strategy])
    for sql in (
        "SELECT id, data->>'n' AS n, data->'in'->>'n' AS i FROM price WHERE id < 100 ORDER BY id",
        "SELECT id FROM price WHERE id < 100 AND data->>'n' IN ('1.50', '0.1', '1.0', '1000') ORDER BY id",
        "SELECT id FROM price WHERE id < 100 AND (data->>'n')::numeric > 1 ORDER BY id",
    ):
        assert [dict(row) for row in store.execute(sql)] == theirs(engine, sql)
    store.execute("INSERT INTO price VALUES (200, :given)", given='{"n": 2.50, "m": 7e-3, "o": 0.25}')
    sql = "SELECT data->>'n' AS n, data->>'m' AS m, data->>'o' AS o FROM price WHERE id = 200"
    assert [dict(row) for row in store.execute(sql)] == [{"n": "2.50", "m": "0.007", "o": "0.25"}]
    store.execute("DELETE FROM price WHERE id = 200")


def test_answers_show_numbers(served: Served) -> None:
    """As a driver of PostgreSQL does, in `Store` and in what is written."""
    engine, designs = served
    proposal, database = designs["normalized"]
    sql = "SELECT id, data FROM price WHERE id IN (1, 2, 3, 4, 5, 7, 22, 24, 101) ORDER BY id"
    expected = theirs(engine, sql)
    assert [dict(row) for row in Store(proposal, database).execute(sql)] == expected
    read = pipeline.convert(proposal, sql)
    assert isinstance(read, CompiledRead), read
    space: dict[str, Any] = {}
    exec(compile(module([read]), "queries.py", "exec"), space)
    assert space["statement"](database) == expected


@pytest.mark.parametrize("number", ["1.5", "1.50", "0.1", "0.10", "1e3", "1000", "20.0", "-2.5", "9.99"])
def test_numbers_are_found_however_many_zeros_they_end_with(served: Served, number: str) -> None:
    """By their worth, as a number or in an array."""
    engine, designs = served
    store = Store(*designs["normalized"])
    for wanted in (f'{{"n": {number}}}', f'{{"in": {{"n": {number}}}}}', f"[{number}]", f'[{{"x": {number}}}]'):
        sql = f"SELECT id FROM price WHERE id <> 100 AND data @> '{wanted}' ORDER BY id"
        assert [dict(row) for row in store.execute(sql)] == theirs(engine, sql), wanted


def test_a_parameter_is_bound_where_json_is_asked_for(served: Served) -> None:
    """As a constant."""
    store = Store(*served[1]["normalized"])
    asked = "SELECT id FROM person WHERE contact @> :json AND contact ? 'phone' ORDER BY id"
    assert [row["id"] for row in store.execute(asked, json='{"on": true}')] == [2]
    with pytest.raises(WorkloadError, match="is not JSON"):
        store.execute(asked, json="{")


def test_json_kept_as_its_text_fails(served: Served) -> None:
    """No document could be made of it, and nothing is answered."""
    store = Store(*served[1]["normalized"])
    with pytest.raises(ReadError, match="no condition can be checked on JSON stored as: binData"):
        store.execute("SELECT id FROM odd WHERE contact @> '{}'")


@pytest.mark.thorough
def test_digits_come_back(served: Served, postgresql: str) -> None:
    """What is unloaded has every digit, also in JSON that is kept as its text."""
    engine, designs = served
    proposal, database = designs["normalized"]
    _, url, back = created(postgresql, "SELECT 1")
    pipeline.unload(proposal, url, database)
    sql = "SELECT id, data::text FROM price ORDER BY id"
    assert theirs(back, sql) == theirs(engine, sql)
    assert pipeline.verify(proposal, url, database).equal


@pytest.mark.parametrize("condition", GAPS)
def test_what_is_no_constant_key_is_a_gap(served: Served, condition: str) -> None:
    """Named, never nearly right."""
    with pytest.raises(GapError):
        Store(*served[1]["normalized"]).execute(f"SELECT id FROM person WHERE {condition}")


@pytest.mark.parametrize("column", ["b", "j"])
@pytest.mark.parametrize("places", PLACED)
def test_elements_by_their_place_are_postgresqls(served: Served, places: str, column: str) -> None:
    """Of arrays, from both ends; a jsonb that is no array is its own first element, but by a path."""
    engine, designs = served
    part = f"{column}{places}"
    whole = theirs(engine, f"SELECT id FROM list WHERE id > 49 OR left({part}, 1) IN ('[', '{{')")
    own = f"id NOT IN ({', '.join(str(row['id']) for row in whole)})"
    for sql in (
        f"SELECT id, {part} AS part FROM list WHERE {own} ORDER BY id",
        f"SELECT id FROM list WHERE {own} AND {part} IN ('a', 'd', 'v', 'zero', 'q', '5', 'true') ORDER BY id",
    ):
        for strategy in ("normalized", "embedded"):
            assert [dict(row) for row in Store(*designs[strategy]).execute(sql)] == theirs(engine, sql)


@pytest.mark.parametrize("column", ["b", "j"])
@pytest.mark.parametrize("part", ["", "->'a'", "->'t'", "->0", "->-1", "#>'{t,-1}'", "->'t'->1->'l'"])
def test_lengths_of_arrays_are_postgresqls(served: Served, part: str, column: str) -> None:
    """NULL where there is nothing; a failure where there is anything else, as in PostgreSQL."""
    engine, designs = served
    store, name = Store(*designs["normalized"]), "jsonb" if column == "b" else "json"
    failed = 0
    for number in (*range(1, 15), 50, 52):
        sql = f"SELECT {name}_array_length({column}{part}) AS n FROM list WHERE id = {number}"
        try:
            expected = theirs(engine, sql)
        except sa.exc.DBAPIError:
            failed += 1
            with pytest.raises(NestlingError):
                store.execute(sql)
        else:
            assert [dict(row) for row in store.execute(sql)] == expected, number
    assert failed or "l" in part


def test_lists_kept_as_texts_fail(served: Served) -> None:
    """Rather than to have no elements."""
    store = Store(*served[1]["normalized"])
    for part in ("b->>1", "j->>1", "jsonb_array_length(b)", "json_array_length(j)", "b#>>'{1}'"):
        with pytest.raises(NestlingError):
            store.execute(f"SELECT {part} FROM list WHERE id = 51")
    with pytest.raises(NestlingError, match="the text that PostgreSQL writes is not known"):
        store.execute("SELECT b->>0 FROM list WHERE id = 50")
