"""LIMIT and OFFSET below 0: all rows, or none left out, in SQLite; so is NULL in PostgreSQL. Others refuse them."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store
from nestling.common.errors import WorkloadError
from nestling.emitters.mql.read import compiled_read
from nestling.emitters.python_code import module
from nestling.ir.proposal import Proposal
from nestling.ir.statements.algebra import Query
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate
from tests.planner.sql.gaps_of_dialects import table_of
from tests.written_module import written_function

STATEMENTS = (
    "SELECT id FROM item ORDER BY id LIMIT :n",
    "SELECT id FROM item ORDER BY id LIMIT 5 OFFSET :n",
    "SELECT s, count(*) AS c FROM item GROUP BY s ORDER BY s LIMIT :n",
)
Documents = Database[dict[str, Any]]


@pytest.mark.parametrize("sql", STATEMENTS)
@pytest.mark.parametrize("dialect", ["postgresql", "mysql"])
def test_servers_refuse_them(dialect: str, sql: str, database: Documents) -> None:
    """Given as a parameter or written as a number, asked by nestling or by its module."""
    proposal = table_of(dialect, {"id": "integer", "s": "text"})
    database.create_collection("item")
    store = Store(proposal, database)
    for each in (sql, sql.replace(":n", "-1")):
        with pytest.raises(WorkloadError, match="must not be negative"):
            store.execute(each, **({"n": -1} if each == sql else {}))
    assert list(store.execute(sql, n=0)) == []
    asked = _written(proposal, sql, dialect)
    with pytest.raises(ValueError, match="must not be negative"):
        asked(database, n=-1)
    assert asked(database, n=1) == []


@pytest.mark.parametrize("sql", STATEMENTS)
@pytest.mark.parametrize("dialect", ["sqlite", "mysql"])
def test_null_is_no_number(dialect: str, sql: str, database: Documents) -> None:
    """It is refused as the source refuses it: all rows are not what was asked for."""
    proposal = table_of(dialect, {"id": "integer", "s": "text"})
    database.create_collection("item")
    store = Store(proposal, database)
    with pytest.raises(WorkloadError, match=r"`n` must be a whole number.* not NULL"):
        store.execute(sql, n=None)
    with pytest.raises(WorkloadError, match="not NULL"):
        store.execute(sql.replace(":n", "NULL"))
    with pytest.raises(TypeError, match=r"`n` must be a whole number.* not NULL"):
        _written(proposal, sql, dialect)(database, n=None)


@pytest.mark.parametrize("sql", STATEMENTS)
def test_null_in_postgresql(sql: str, database: Documents) -> None:
    """All rows, and none left out."""
    database["item"].insert_many([{"_id": n, "s": "a"} for n in range(3)])
    proposal = table_of("postgresql", {"id": "integer", "s": "text"})
    store = Store(proposal, database)
    found = list(store.execute(sql, n=None))
    assert (
        found
        == list(store.execute(sql.replace(":n", "NULL")))
        == _written(proposal, sql, "postgresql")(database, n=None)
    )
    assert found


def _written(proposal: Proposal, sql: str, dialect: str) -> Any:
    """The statement's function in a module that is written."""
    query = translate(sql, proposal.design.model, dialect)
    assert isinstance(query, Query)
    space: dict[str, Any] = {}
    read = compiled_read(plan_read(query, proposal.design), name="asked", sql=sql)
    exec(compile(module([read]), "queries.py", "exec"), space)
    return space["asked"]


@pytest.mark.parametrize("sql", STATEMENTS)
def test_in_sqlite_they_are_none(sql: str, database: Documents) -> None:
    """As its documentation says."""
    database["item"].insert_many([{"_id": n, "s": "a"} for n in range(3)])
    store = Store(table_of("sqlite", {"id": "integer", "s": "text"}), database)
    assert len(store.execute(sql, n=-1)) == len(store.execute(sql.replace(":n", "-1"))) > 0


@pytest.mark.parametrize("number", [0, 1, -1])
@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM item WHERE id IN (SELECT id FROM item ORDER BY id LIMIT :n)",
        "UPDATE item SET s = 'b' WHERE id IN (SELECT id FROM item ORDER BY id LIMIT 5 OFFSET :n)",
    ],
)
def test_a_written_function_changes_what_a_store_does(sql: str, number: int, database: Documents) -> None:
    """Also where none are asked for, for which the server has no stage."""
    proposal = table_of("sqlite", {"id": "integer", "s": "text"})
    function = written_function(proposal, sql, "sqlite")
    outcomes = []
    for change in (lambda: Store(proposal, database).execute(sql, n=number), lambda: function(database, n=number)):
        database["item"].delete_many({})
        database["item"].insert_many([{"_id": n, "s": "a"} for n in range(3)])
        change()
        outcomes.append(list(database["item"].find(sort=[("_id", 1)])))
    assert outcomes[0] == outcomes[1]
