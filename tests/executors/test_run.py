"""Running compiled reads: values in, rows out; no value can become an operator."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import WorkloadError
from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import documents, run_read
from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.primitives import Collection, Document
from nestling.ir.programs.compiled import CompiledRead, Operation, bind
from nestling.ir.statements.algebra import Query
from nestling.ir.types import Type
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate

MODEL = Model(
    "things",
    (
        Entity(
            "thing",
            tuple(
                Attribute(n, Type.parse(kind)) for n, kind in (("id", "integer"), ("name", "text"), ("made", "date"))
            ),
            ("id",),
        ),
    ),
)
DESIGN = Design(MODEL, (Collection("things", Document("thing"), ("id",)),))


def compiled(sql: str) -> CompiledRead:
    """A statement on the one collection."""
    query = translate(sql, MODEL, "sqlite")
    assert isinstance(query, Query)
    return compiled_read(plan_read(query, DESIGN), name="statement", sql=sql)


@pytest.fixture
def things(database: Database[dict[str, Any]]) -> Database[dict[str, Any]]:
    """Three of them."""
    database["things"].insert_many([{"_id": 1, "name": "$ne"}, {"_id": 2, "name": "b"}, {"_id": 3}])
    return database


@pytest.mark.parametrize(
    "sql", ["SELECT id FROM thing WHERE name = :name", "SELECT id FROM thing WHERE upper(name) = upper(:name)"]
)
@pytest.mark.parametrize("value", [{"$ne": None}, ["b"], {"$gt": ""}, {}, object()])
def test_documents_and_lists_are_refused(things: Database[dict[str, Any]], sql: str, value: object) -> None:
    """Before anything is asked of the server."""
    with pytest.raises(WorkloadError, match="parameter `name`"):
        run_read(things, compiled(sql), {"name": value})


@pytest.mark.parametrize(
    "sql", ["SELECT id FROM thing WHERE name = :name", "SELECT id FROM thing WHERE lower(name) = lower(:name)"]
)
def test_a_text_that_looks_like_a_path_is_a_text(things: Database[dict[str, Any]], sql: str) -> None:
    """In the query language and in expressions."""
    assert list(run_read(things, compiled(sql), {"name": "$ne"})) == [(1,)]
    assert list(run_read(things, compiled(sql), {"name": "$name"})) == []


@pytest.mark.parametrize("sql", ["SELECT name FROM thing WHERE id = :key", "SELECT id FROM thing WHERE name = :key"])
def test_a_value_is_asked_for_alone(things: Database[dict[str, Any]], sql: str) -> None:
    """Only a parameter that is NULL has to find nothing where nothing is stored."""
    read = compiled(sql)
    (shown,) = (bind(read, {"key": "b"}).filter or {}).values()
    assert shown == {"$eq": "b"}
    assert list(run_read(things, read, {"key": None})) == []


def test_names_of_parameters_are_checked() -> None:
    """Missing and unknown ones are named together, with those there are."""
    read = compiled("SELECT id FROM thing WHERE id = :key AND name = :name")
    with pytest.raises(WorkloadError) as caught:
        bind(read, {"kye": 1, "name": "b"})
    assert "needs a value for parameter `key`" in str(caught.value)
    assert "no parameter `kye` in `statement`; it has `key`" in str(caught.value)


def test_a_value_that_has_a_place_may_be_in_a_list() -> None:
    """The error about a missing one says so, and where in the list."""
    with pytest.raises(WorkloadError, match="→ pass it by name, or as item 2 of a list in order; in a workload file"):
        bind(compiled("SELECT id FROM thing WHERE id = :p1 AND name = :p2"), {"p1": 1})
    with pytest.raises(WorkloadError, match="→ pass it by name; in a workload file"):
        bind(compiled("SELECT id FROM thing WHERE id = :key"), {})


def test_a_limit_is_a_whole_number(things: Database[dict[str, Any]]) -> None:
    """Negative ones are no limit in SQLite, 0 is nothing; anything else is an error."""
    find = compiled("SELECT id FROM thing ORDER BY id LIMIT :n")
    pipeline = compiled("SELECT name, count(*) FROM thing GROUP BY name LIMIT :n")
    assert (find.operation, pipeline.operation) == (Operation.FIND, Operation.AGGREGATE)
    for read in (find, pipeline):
        assert [len(list(run_read(things, read, {"n": n}))) for n in (2, 0, -1)] == [2, 0, 3]
        with pytest.raises(WorkloadError):
            run_read(things, read, {"n": 1.5})
        with pytest.raises(WorkloadError):
            run_read(things, read, {"n": "1"})


def test_documents_have_a_field_for_each_column(things: Database[dict[str, Any]]) -> None:
    """In SQL's order and by SQL's names, whatever these are; NULL is null; a name that repeats is numbered."""
    read = compiled('SELECT name, id, id, name AS "a.b", 1 AS "$x", count(*) OVER () FROM thing WHERE id = 3')
    (document,) = documents(things, read)
    assert list(document.items()) == [
        ("name", None), ("id", 3), ("id_2", 3), ("a.b", None), ("$x", 1), ("count(*) OVER ()", 1),
    ]  # fmt: skip


def test_values_are_conceptual(things: Database[dict[str, Any]]) -> None:
    """Integers are plain, and a statement without a table has a row."""
    assert list(run_read(things, compiled("SELECT 1 + 1 AS two, NULL AS nothing"))) == [(2, None)]
    ((total,),) = run_read(things, compiled("SELECT sum(id) FROM thing"))
    assert (total, type(total)) == (6, int)
    assert not isinstance(total, Decimal)


def test_values_nothing_depends_on_may_be_given(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Drivers send a value for each parameter of the SQL, also for the `1` of an EXISTS; a place too many is an error still."""
    path = tmp_path / "books.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE author (id INTEGER PRIMARY KEY, books INT);"
            "CREATE TABLE book (id INTEGER PRIMARY KEY, author INT REFERENCES author, pages INT);"
            "INSERT INTO author VALUES (1, 0), (2, 0); INSERT INTO book VALUES (1, 1, 300), (2, 2, 90);"
        )
    proposal = pipeline.design(path, "normalized")
    pipeline.load(proposal, path, database)
    store = Store(proposal, database)
    long = "EXISTS (SELECT ? AS a FROM book b WHERE b.author = author.id AND b.pages > ? LIMIT 1)"
    assert store.execute(f"SELECT id FROM author WHERE {long}", [1, 200]).rows == ({"id": 1},)
    assert store.execute("SELECT count(*) AS n FROM (SELECT ? AS a, id FROM author) t", [1]).rows == ({"n": 2},)
    assert store.execute(f"UPDATE author SET books = 1 WHERE {long}", [1, 200]).affected == 1
    with pytest.raises(WorkloadError, match="no parameter `p3`; there is `p2`, `p1`"):
        store.execute(f"SELECT id FROM author WHERE {long}", [1, 200, 5])
