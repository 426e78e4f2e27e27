"""PostgreSQL's arrays beside PostgreSQL: with NULL, NULL elements and empty arrays, by every strategy."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient

from nestling import pipeline
from nestling.common.errors import GapError
from nestling.emitters.python_code import module
from nestling.ir.programs.compiled import CompiledRead, bind
from nestling.ir.proposal import Proposal
from nestling.store import Store
from tests.planner.reads.beside_postgresql import STRATEGIES, Served, served_by_strategies

TABLES = """
CREATE TYPE grade AS ENUM ('junior', 'senior');
CREATE TABLE ward (id integer PRIMARY KEY, name text NOT NULL, tags text[] NOT NULL);
CREATE TABLE nurse (id integer PRIMARY KEY, ward_id integer REFERENCES ward, name text, rank integer, skills text[],
    marks integer[], keys uuid[], rates numeric(6,2)[], shares float8[], days date[], flags boolean[], grades grade[],
    padded char(3)[], odd text[], nested text[], seen timestamp[]);
CREATE TABLE shift (id integer PRIMARY KEY, nurse_id integer NOT NULL REFERENCES nurse ON DELETE CASCADE, tasks text[]);
INSERT INTO ward VALUES (1, 'icu', '{ecg,quiet}'), (2, 'er', '{}'), (3, 'empty', '{x}');
INSERT INTO nurse (id, ward_id, name, rank, skills, marks) VALUES
    (1, 1, 'ecg', 1, '{ecg,iv}', '{1,2,3}'), (2, 1, 'iv', 2, '{iv,NULL}', '{NULL}'), (3, 2, NULL, 3, '{}', '{}'),
    (4, 2, 'ecg', NULL, NULL, NULL), (5, NULL, 'ECG', 5, '{ECG,"a,b","","NULL","$iv"}', '{5,5}'),
    (6, 1, 'x', 6, '{NULL}', '{6,NULL}'), (7, 3, '$iv', 7, '{iv,ecg,iv}', '{-7}');
UPDATE nurse SET keys = '{a0000000-0000-0000-0000-00000000000a,NULL}', rates = '{1.50,2}', shares = '{1.5,0.1,NaN}',
    days = '{2024-01-31}', flags = '{t,NULL}', grades = '{junior}', padded = '{a,b}', odd = '[0:1]={ecg,iv}',
    nested = '{{ecg},{iv}}' WHERE id < 3;
UPDATE nurse SET keys = '{b0000000-0000-0000-0000-00000000000b}', rates = '{}', shares = '{1}', days = '{infinity,2024-02-01}',
    flags = '{f}', grades = '{senior,junior}' WHERE id = 5;
INSERT INTO shift VALUES (1, 1, '{ecg,wash}'), (2, 1, '{wash,NULL}'), (3, 2, NULL), (4, 3, '{}'), (5, 5, '{ecg}'),
    (6, 5, '{iv,NULL}');
"""
CONDITIONS = (
    "'ecg' = ANY(skills)",
    "'ecg' = SOME(n.skills)",
    "'ecg' <> ALL(skills)",
    "'' = ANY(skills)",
    "'$iv' = ANY(skills)",
    "NULL = ANY(skills)",
    "name = ANY(skills)",
    "lower(name) = ANY(skills)",
    "'ecg' = ANY(skills) AND 'iv' = ANY(skills) AND rank > 1",
    "'ecg' = ANY(skills) OR rank = 3",
    "('ecg' = ANY(skills)) IS NULL",
    "('ecg' = ANY(skills)) IS NOT TRUE",
    "skills @> ARRAY['ecg']",
    "skills @> ARRAY['ecg', 'iv']",
    "skills @> ARRAY['iv', NULL]",
    "skills @> ARRAY['iv', name]",
    "skills @> '{ecg,iv}'",
    "skills @> '{\"a,b\"}'::text[]",
    "skills @> '{}'",
    "skills = '{}'",
    "skills <> '{}' AND '{ecg,iv}'::text[] <> skills",
    "skills = ARRAY['ecg', 'iv'] OR skills = ARRAY[]::text[] OR skills = '{iv,NULL}'",
    "NOT skills = ARRAY['iv', NULL]",
    "skills IS NOT DISTINCT FROM '{NULL}'",
    "(skills = '{}') IS NULL",
    "marks = '{1,2,3}' OR marks = ARRAY[5, 5] OR marks <> '{NULL}'",
    "keys = '{A0000000-0000-0000-0000-00000000000A,NULL}'",
    "days = '{2024-01-31}' OR flags = '{t,NULL}' OR flags = ARRAY[false]",
    "skills @> ARRAY[]::text[]",
    "skills @> ARRAY['ecg']::varchar[]::text[]",
    "ARRAY['iv'] <@ skills",
    "skills && ARRAY['ecg', 'ECG']",
    "skills && ARRAY['ecg', NULL]",
    "ARRAY['ecg', 'x'] && skills",
    "skills && '{}'",
    "(skills && ARRAY['ecg']) IS NULL",
    "2 = ANY(marks)",
    "rank = ANY(marks)",
    "1.5 = ANY(marks)",
    "marks @> ARRAY[5]",
    "marks && ARRAY[1, 6]",
    "'5' = ANY(marks)",
    "'a0000000-0000-0000-0000-00000000000a' = ANY(keys)",
    "keys @> ARRAY['A0000000-0000-0000-0000-00000000000A', 'b0000000-0000-0000-0000-00000000000b']::uuid[]",
    "1.5 = ANY(rates)",
    "rank = ANY(rates)",
    "0.1 = ANY(shares)",
    "1 = ANY(shares)",
    "shares @> '{NaN}'",
    "DATE '2024-01-31' = ANY(days)",
    "'2024-02-01' = ANY(days)",
    "true = ANY(flags)",
    "'junior' = ANY(grades)",
    "grades @> ARRAY['senior', 'junior']::grade[]",
    "skills IS NULL",
    "skills IS NULL OR rank = 2",
    "skills IS NOT NULL AND rank > 0",
    "cardinality(skills) > 1",
    "cardinality(skills) = 0 OR cardinality(marks) = 1",
    "array_length(skills, 1) < 3",
    "array_length(skills, 1) IS NULL",
    "coalesce(array_length(skills, 1), 0) = 0",
    "skills[1] = 'ecg'",
    "array_to_string(skills, ', ') = 'ecg, iv' OR array_to_string(marks, '') = '55'",
    "skills[2] IS NULL",
    "n.skills[2] LIKE '%v' OR (skills)[3] > 'A'",
    "marks[1] > rank",
    "marks[2] + 1 = 3",
    "upper(skills[1]) = skills[1]",
    "skills[1] = ANY(skills)",
    "keys[1] = 'a0000000-0000-0000-0000-00000000000a'",
    "flags[1]",
    "grades[1] > 'junior'",
    "rates[1] * 2 = 3",
    "'ecg' = ANY(w.tags)",
    "w.tags @> ARRAY['ecg'] AND 'iv' = ANY(skills)",
    "w.tags && ARRAY['ecg', 'x'] OR 'iv' = ANY(skills)",
    "CASE WHEN 'ecg' = ANY(skills) THEN rank = 1 ELSE rank > 4 END",
    "EXISTS (SELECT 1 FROM nurse o WHERE o.ward_id = n.ward_id AND o.id <> n.id AND 'ecg' = ANY(o.skills))",
)
PARAMETERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("%(a)s = ANY(skills)", {"a": "ecg"}),
    ("%(a)s = ANY(skills)", {"a": None}),
    ("%(a)s <> ALL(skills)", {"a": "ecg"}),
    ("%(a)s <> ALL(skills)", {"a": None}),
    ("%(a)s::int = ANY(marks)", {"a": 5}),
    ("%(a)s = ANY(keys)", {"a": uuid.UUID("a0000000-0000-0000-0000-00000000000a")}),
    ("skills @> ARRAY[%(a)s, %(b)s]::text[]", {"a": "ecg", "b": "iv"}),
    ("skills @> ARRAY[%(a)s, 'iv']::text[]", {"a": None}),
    ("NOT skills @> ARRAY[%(a)s, 'iv']::text[]", {"a": None}),
    ("skills && ARRAY[%(a)s, 'ECG']::text[]", {"a": "ecg"}),
    ("skills && ARRAY[%(a)s, 'ECG']::text[]", {"a": None}),
    ("skills && %(a)s::text[]", {"a": ["ecg", None]}),
    ("skills && %(a)s::text[]", {"a": []}),
    ("skills && %(a)s::text[]", {"a": None}),
    ("skills @> %(a)s::text[]", {"a": ["ecg", "iv"]}),
    ("skills @> %(a)s::text[]", {"a": ["iv", None]}),
    ("skills @> %(a)s::text[]", {"a": []}),
    ("skills @> %(a)s::text[]", {"a": None}),
    ("skills @> %(a)s::text[] OR rank = 3", {"a": ["ecg"]}),
)
STATEMENTS = (
    "SELECT id, 'ecg' = ANY(skills) AS ecg, skills @> ARRAY['iv'] AS iv, skills && ARRAY['ECG', name] AS x FROM nurse ORDER BY 1",
    "SELECT id, cardinality(skills) AS n, array_length(marks, 1) AS m, skills[1] AS one, marks[3] AS three FROM nurse ORDER BY 1",
    "SELECT cardinality(skills) AS n, max(skills[1]) AS last FROM nurse GROUP BY 1 ORDER BY 1 NULLS FIRST",
    "SELECT id FROM nurse ORDER BY skills[1] NULLS FIRST, id",
    "SELECT id, array_to_string(skills, ', ') AS a, array_to_string(skills, '', '*') AS b FROM nurse ORDER BY 1",
    "SELECT id, array_to_string(marks, '-') AS a, array_to_string(marks, name, '?') AS b FROM nurse ORDER BY 1",
    "SELECT array_to_string(tags, '$x') AS tags, array_to_string(tags, NULL) AS n FROM ward ORDER BY 1",
    "SELECT array_to_string(skills, ',') AS s, count(*) AS n FROM nurse GROUP BY 1 ORDER BY 1",
    "SELECT w.name, cardinality(n.skills) AS n FROM ward w LEFT JOIN nurse n ON n.ward_id = w.id AND rank = 1 ORDER BY 1",
    "SELECT s.id, tasks[2] AS second, cardinality(tasks) AS n FROM shift s WHERE cardinality(tasks) > 0 ORDER BY 1",
    "SELECT w.name, count(*) AS n FROM nurse n JOIN ward w ON w.id = ward_id WHERE 'iv' = ANY(skills) GROUP BY w.name ORDER BY 1",
    "SELECT w.name, n.id FROM ward w LEFT JOIN nurse n ON n.ward_id = w.id AND 'iv' = ANY(n.skills) ORDER BY 1, 2",
    "SELECT w.name, n.id FROM ward w LEFT JOIN nurse n ON ward_id = w.id WHERE 'iv' <> ALL(skills) OR n.id IS NULL ORDER BY 1, 2",
    "SELECT n.id, s.id AS shift FROM nurse n JOIN shift s ON s.nurse_id = n.id WHERE 'ecg' = ANY(s.tasks) ORDER BY 1, 2",
    "SELECT n.id, s.id AS shift FROM nurse n LEFT JOIN shift s ON nurse_id = n.id AND tasks && ARRAY['iv', n.name] ORDER BY 1, 2",
    "SELECT id FROM shift WHERE NOT 'ecg' = ANY(tasks) ORDER BY 1",
    "SELECT id FROM shift WHERE tasks @> ARRAY['wash'] AND nurse_id = 1 ORDER BY 1",
    "SELECT s.id, 'ecg' <> ALL(s.tasks) AS other FROM shift s ORDER BY 1",
    "SELECT s.id FROM (SELECT id, skills AS can FROM nurse WHERE rank > 1) s WHERE s.can @> ARRAY['iv'] ORDER BY 1",
)
GAPS = (
    "'ecg' = ALL(skills)",
    "'ecg' <> ANY(skills)",
    "'ecg' < ANY(skills)",
    "skills <@ ARRAY['ecg']",
    "skills @> n.padded",
    "'a' = ANY(padded)",
    "'ecg' = ANY(odd)",
    "'ecg' = ANY(nested)",
    "TIMESTAMP '2024-01-01' = ANY(seen)",
    "rank = ANY(shares)",
    "skills @> '{{ecg}}'",
    "array_length(nested, 1) = 1",
    "array_length(skills, 2) = 1",
    "cardinality(odd) = 1",
    "skills[0] IS NULL",
    "skills[rank] = 'iv'",
    "nested[1] IS NULL",
    "days[1] > '2024-01-01'",
)


@pytest.fixture(scope="module")
def served(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Served]:
    """The tables in a database of their own, and loaded by each strategy."""
    with served_by_strategies(postgresql, mongo_client, TABLES) as found:
        yield found


def selecting(condition: str) -> str:
    return f"SELECT n.id FROM nurse n LEFT JOIN ward w ON w.id = n.ward_id WHERE {condition} ORDER BY n.id"


@pytest.mark.in_turn("strategy")
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions_keep_postgresqls_rows(served: Served, condition: str, strategy: str) -> None:
    """With the condition and with its NOT."""
    engine, designs = served
    store = Store(*designs[strategy])
    for form in (condition, f"NOT ({condition})"):
        sql = selecting(form)
        if "w." not in form:
            sql = f"SELECT n.id FROM nurse n WHERE {form} ORDER BY n.id"
        with engine.connect() as connection:
            theirs = [row[0] for row in connection.exec_driver_sql(sql.replace("%", "%%"))]
        assert [row["id"] for row in store.execute(sql)] == theirs, form


@pytest.mark.in_turn("strategy")
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(("condition", "given"), PARAMETERS)
def test_parameters_are_postgresqls(served: Served, condition: str, given: dict[str, Any], strategy: str) -> None:
    """Also NULL, and NULL in a list or instead of it; so they are by the functions written in Python."""
    engine, designs = served
    proposal, database = designs[strategy]
    sql = selecting(condition)
    with engine.connect() as connection:
        theirs = [row[0] for row in connection.exec_driver_sql(sql, given)]
    mine = sql.replace("%(a)s", ":a").replace("%(b)s", ":b")
    assert [row["id"] for row in Store(proposal, database).execute(mine, **given)] == theirs
    space: dict[str, Any] = {}
    exec(compile(module([converted(proposal, mine)]), "queries.py", "exec"), space)
    assert [row["id"] for row in space["statement"](database, **given)] == theirs


def converted(proposal: Proposal, sql: str) -> CompiledRead:
    found = pipeline.convert(proposal, sql)
    assert isinstance(found, CompiledRead), found
    return found


@pytest.mark.parametrize(
    ("condition", "asked"),
    [
        ("'ecg' = ANY(skills)", {"skills": {"$eq": "ecg"}}),
        ("skills @> ARRAY['ecg', 'iv']", {"skills": {"$all": ["ecg", "iv"]}}),
        ("skills && ARRAY['ecg', NULL]", {"skills": {"$in": ["ecg"]}}),
        (":a = ANY(skills)", {"skills": {"$elemMatch": {"$eq": "given"}}}),
        ("skills && :list", {"skills": {"$elemMatch": {"$in": ["one", "two"], "$ne": None}}}),
    ],
)
def test_an_index_can_serve(served: Served, condition: str, asked: dict[str, Any]) -> None:
    """Elements are sought in the query language, where the whole condition is one of them."""
    read = converted(served[1]["normalized"][0], f"SELECT id FROM nurse WHERE {condition}")
    given = {"a": "given", "list": ["one", "two"]}
    assert bind(read, {name: given[name] for name in read.parameters}).filter == asked


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_writes_find_their_rows(served: Served, strategy: str) -> None:
    """As many as PostgreSQL's, where rows are documents and where they are embedded."""
    engine, designs = served
    for table, condition in (
        ("nurse", "'ecg' = ANY(skills)"),
        ("shift", "tasks @> '{wash}'"),
        ("shift", "'iv' <> ALL(tasks)"),
    ):
        sql = f"UPDATE {table} SET id = id WHERE {condition}"
        with engine.connect() as connection:
            theirs = connection.exec_driver_sql(sql).rowcount
        assert Store(*designs[strategy]).execute(sql).affected == theirs > 0


@pytest.mark.in_turn("strategy")
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("sql", STATEMENTS)
def test_answers_are_postgresqls(served: Served, sql: str, strategy: str) -> None:
    """Values, groups and outer joins."""
    engine, designs = served
    with engine.connect() as connection:
        theirs = [dict(row) for row in connection.exec_driver_sql(sql).mappings()]
    assert [dict(row) for row in Store(*designs[strategy]).execute(sql)] == theirs


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_other_arrays_come_back_as_they_were(served: Served, strategy: str) -> None:
    """One that begins at 0 as its text, as a list could not say so; one of two dimensions as lists of lists."""
    found = Store(*served[1][strategy]).execute("SELECT odd, nested, skills FROM nurse WHERE id = 1")
    assert [dict(row) for row in found] == [
        {"odd": "[0:1]={ecg,iv}", "nested": [["ecg"], ["iv"]], "skills": ["ecg", "iv"]}
    ]


@pytest.mark.parametrize("condition", GAPS)
def test_what_has_no_exact_form_is_a_gap(served: Served, condition: str) -> None:
    """Named, never nearly right."""
    with pytest.raises(GapError):
        Store(*served[1]["normalized"]).execute(f"SELECT n.id FROM nurse n WHERE {condition}")
