"""Values that cannot be carried over are named as what they are in documents, with a next move that works."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from bson import Decimal128
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import MigrationError, Problem
from nestling.common.server import Server
from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.primitives import Copy, Field, Form, Pairs
from nestling.ir.proposal import Proposal
from nestling.ir.rows import up
from nestling.pipeline.migrating import abort_migration
from tests.executors.migrate.test_array_orders import designs

Documents = Database[dict[str, Any]]


def _refusal(moves: tuple[Proposal, Proposal], database: Documents) -> Problem:
    with pytest.raises(MigrationError) as refused:
        pipeline.migrate(*moves, database)
    (problem,) = refused.value.problems
    return problem


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([True, 1, "yes"], "`state` is int in 10 "),
        (["x", Decimal128("12.30"), "y"], "`state` is decimal in 10 "),
    ],
)
def test_a_field_of_several_types(values: list[Any], told: str, mongod: Server, database: Documents) -> None:
    """One that no column gives back: the plan counts it, and only the server may carry it; with one type it comes along."""
    database["users"].insert_many(
        [{"_id": n, "state": values[n % len(values)], "seen": 0, "tags": [{"n": 1}]} for n in range(30)]
    )
    moves = designs(mongod, database)
    assert any(risk.startswith("`users.state`: values of several types") for risk in _risks(moves, database))
    first = _refusal(moves, database)
    assert first.what.startswith(
        f"{told}rows of `users`, such as in the document with _id 1, and of other types elsewhere"
    )
    assert "--offline" in first.next_move
    assert f"it would be refused: {first.text()}" in _risks(moves, database)
    assert "users.new" not in database.list_collection_names()
    assert pipeline.migrate(*moves, database, offline=True).equal
    abort_migration(database)
    database["users"].update_many({"state": {"$type": ["int", "decimal"]}}, {"$set": {"state": values[0]}})
    assert pipeline.migrate(*moves, database).equal
    database["users"].update_one({"_id": 1}, {"$set": {"state": values[1]}})
    problem = _refusal(moves, database)
    assert problem.where == "users"
    assert problem.what.startswith(told.replace("10 ", "1 document, such as _id 1, and of other types elsewhere"))
    assert "table" not in problem.text()
    assert "column" not in problem.text()
    assert "values of one type in all documents" in problem.next_move
    database["users"].update_many({}, [{"$set": {"state": {"$toString": "$state"}}}])
    abort_migration(database)
    again = designs(mongod, database)
    assert not any("several types" in risk for risk in _risks(again, database))
    assert pipeline.migrate(*again, database).equal
    database["users"].update_one({"_id": 1}, {"$set": {"seen": 2}})
    assert pipeline.migrate(*again, database, cutover=True).equal


def _risks(moves: tuple[Proposal, Proposal], database: Documents) -> tuple[str, ...]:
    return pipeline.plan_migration(*moves, database).risks


def test_a_document_of_another_type_than_the_designs_say(mongod: Server, database: Documents) -> None:
    """Written since the migration began: the new collection refuses it, and it is named; mended, all is equal."""
    database["users"].insert_many([{"_id": n, "total": n, "tags": [{"n": 1}]} for n in range(30)])
    moves = designs(mongod, database)
    assert pipeline.migrate(*moves, database).equal
    database["users"].update_one({"_id": 7}, {"$set": {"total": 2.5}})
    problem = _refusal(moves, database)
    assert problem.where == "users.new"
    assert problem.what.startswith("the document with _id 7 is refused: ")
    assert "`total` is double, not" in problem.what
    assert "fix its data in the old collections" in problem.next_move
    database["users"].update_one({"_id": 7}, {"$set": {"total": 2}})
    assert pipeline.migrate(*moves, database, cutover=True).equal


def test_names_and_values_of_several_types(mongod: Server, database: Documents) -> None:
    """In an array: counted by type, before anything is built."""
    values = ["yes", True, 3, "x"]
    database["shops"].insert_many(
        {"_id": i, "name": f"n{i}", "attributes": [{"k": f"a{k}", "v": values[(i + k) % 4]} for k in range(2)]}
        for i in range(40)
    )
    moves = designs(mongod, database)
    told = [each for each in _risks(moves, database) if each.startswith("it would be refused: ")]
    with pytest.raises(MigrationError) as refused:
        pipeline.migrate(*moves, database)
    assert [f"it would be refused: {each.text()}" for each in refused.value.problems] == told
    assert {each.what.split(" of `attributes`")[0] for each in refused.value.problems} == {
        "`attributes.v` is bool in 20 rows",
    }
    assert not [name for name in database.list_collection_names() if name != "shops"]


def _copying(mongod: Server, database: Documents, *values: Any, field: str) -> tuple[Proposal, Proposal]:
    """Customers with such values in a field, which stay as they are; orders get a copy of the customer's name."""
    usual = {"name": "Ann", "phone": "1"}
    database["customers"].insert_many(usual | {"_id": n, field: values[n % len(values)]} for n in range(20))
    database["orders"].insert_many({"_id": n, "customer_id": n % 20, "at": n} for n in range(60))
    today = designs(mongod, database)[0]
    (link,) = today.design.model.relationships
    copied = Copy("customer", (up(link),), (Field("name", "name"),), Form.OBJECT, TRANSACTION)
    stored = tuple(
        replace(each, body=replace(each.body, copies=(copied,))) if each.name == "orders" else each
        for each in today.design.collections
    )
    return today, Proposal("", replace(today.design, collections=stored))


@pytest.mark.thorough
def test_what_a_copy_does_not_hold_stops_nothing(mongod: Server, database: Documents) -> None:
    """A field of several types beside the one that is copied: neither the plan nor migrating minds, nor changes meanwhile."""
    moves = _copying(mongod, database, True, 1, "x", field="phone")
    assert moves[0].design.model.entity("customers").attribute("phone").also
    assert not [risk for risk in _risks(moves, database) if "phone" in risk]
    assert pipeline.migrate(*moves, database).equal
    database["customers"].update_one({"_id": 3}, {"$set": {"phone": 1, "name": "Bea"}})
    assert pipeline.migrate(*moves, database, cutover=True).equal
    assert database["orders"].find_one({"_id": 3}) == {"_id": 3, "customer_id": 3, "customer": {"name": "Bea"}, "at": 3}


@pytest.mark.thorough
def test_what_a_copy_holds_is_planned(mongod: Server, database: Documents) -> None:
    """Values that cannot be copied as they are, in documents that stay: said before anything is built."""
    moves = _copying(mongod, database, "Ann", True, 1, field="name")
    told = [each for each in _risks(moves, database) if "cannot be copied as it is" in each]
    with pytest.raises(MigrationError) as refused:
        pipeline.migrate(*moves, database)
    assert told
    assert [f"it would be refused: {each.text()}" for each in refused.value.problems] == told
    assert sorted(database.list_collection_names()) == ["customers", "orders"]


def test_a_null_that_is_json_is_planned(mongod: Server, database: Documents) -> None:
    """A list of names and values has no place for it: said before anything is built."""
    details = [{"a": 1}, "b", None]
    database["users"].insert_many({"_id": n, "details": details[n % 3], "tags": [{"n": 1, "m": 2}]} for n in range(30))
    today = designs(mongod, database)[0]
    (users,) = today.design.collections
    fields = tuple(each for each in users.body.fields if each.attribute != "details")
    paired = replace(users.body, fields=fields, pairs=(Pairs("facts", ("details",)),))
    moves = today, Proposal("", Design(today.design.model, (replace(users, body=paired),)))
    problem = _refusal(moves, database)
    assert problem.what.startswith("`details` is null in 10 documents, such as _id 2: it cannot be carried over")
    assert f"it would be refused: {problem.text()}" in _risks(moves, database)
    assert database.list_collection_names() == ["users"]
