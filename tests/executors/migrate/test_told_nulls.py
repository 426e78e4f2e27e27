"""A field that is null and one that is missing stay what they are, whichever way documents come over, and while they change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import MigrationError
from nestling.common.server import Server
from nestling.ir.freshness import TRANSACTION
from nestling.ir.primitives import Copy, Field, Form
from nestling.ir.proposal import Proposal
from nestling.ir.rows import up
from tests.executors.migrate.test_array_orders import designs

Documents = Database[dict[str, Any]]


def _field(name: str, number: int, value: object) -> dict[str, Any]:
    """The field: missing, null, or the value, by turns."""
    fields: list[dict[str, Any]] = [{}, {name: None}, {name: value}]
    return fields[number % 3]


def _some(number: int) -> dict[str, Any]:
    """Fields of many types, and json: a null, a text that says `null`, and others."""
    json = [{"kind": "a", "n": 1}, None, "null", "text", [1, None], 5, {"deep": None}]
    details = {"details": json[number % 8]} if number % 8 < 7 else {}
    return {
        **_field("phone", number, f"0{number}"),
        **_field("age", number + 1, number),
        **_field("score", number + 2, number + 0.5),
        **_field("manager_id", number // 3, number % 4),
        **details,
    }


@pytest.fixture
def people(database: Documents) -> Documents:
    """People with letters in arrays, and calls in a collection; each has fields that are null, missing, or there."""
    for n in range(48):
        address = {"city": f"c{n % 5}", **_field("street", n // 2, f"s{n}")}
        letters = [{"no": k, **_field("read", n + k, True)} for k in range(1, 4)]
        database["people"].insert_one({"_id": n, "name": f"n{n}", **_some(n), "address": address, "letters": letters})
        database["calls"].insert_many(
            {"_id": 10 * n + k, "people_id": n, **_field("minutes", n + k, k)} for k in range(3)
        )
    return database


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
@pytest.mark.parametrize("by_client", [False, True])
def test_null_and_missing_stay_apart(mongod: Server, people: Documents, strategy: str, by_client: bool) -> None:
    """Nothing is refused; what the documents say of each field is the same afterwards, of what changed meanwhile too."""
    moves = designs(mongod, people, strategy)
    assert not [risk for risk in pipeline.plan_migration(*moves, people).risks if "null" in risk]
    if by_client:  # each document is derived again
        assert pipeline.migrate(*moves, people).equal
        people["people"].update_many({}, {"$set": {"name": "changed"}})
        people["calls"].update_many({}, [{"$set": {"_id": "$_id"}}])
    else:
        assert pipeline.migrate(*moves, people).equal
    people["people"].update_one({"_id": 0}, {"$set": {"phone": None}})
    people["people"].update_one({"_id": 1}, {"$unset": {"phone": ""}})
    people["people"].update_one({"_id": 2}, {"$set": {"phone": None, "age": None, "details": None}})
    today = people.client[f"{people.name}_today"]
    for name in ("people", "calls"):
        today[name].insert_many(people[name].find())
    before = _said(today)
    today.client.drop_database(today.name)
    assert {"None", "missing"} < set(before.values())
    assert pipeline.migrate(*moves, people, cutover=True).equal
    assert _said(people) == before
    checked = pipeline.check(moves[1], people)
    assert not checked.findings


def test_nulls_beside_a_unique_index_of_texts_are_named(mongod: Server, database: Documents) -> None:
    """Its successor takes null for a value: before anything is built it is said that they come over as missing."""
    phones = [None if n % 2 else f"+{n}" for n in range(40)]
    database["guests"].insert_many({"_id": n, "phone": phone, "pet": {"n": n}} for n, phone in enumerate(phones))
    database["guests"].create_index("phone", unique=True, partialFilterExpression={"phone": {"$type": "string"}})
    moves = designs(mongod, database)
    with pytest.raises(
        MigrationError, match=r"(?s)`guests.phone` in 20 documents, such as _id 1, is null.*`--drop-nulls`"
    ):
        pipeline.migrate(*moves, database)
    assert pipeline.migrate(*moves, database, may_lose=["nulls"]).equal
    database["guests"].update_many({"_id": {"$lt": 4}}, {"$set": {"phone": None}})
    assert pipeline.migrate(*moves, database, cutover=True, may_lose=["nulls"]).equal
    there = {each["_id"]: each.get("phone", "missing") for each in database["guests"].find()}
    assert there == {n: phone if phone is not None and n > 3 else "missing" for n, phone in enumerate(phones)}


@pytest.mark.thorough
def test_a_copy_of_a_null_is_right(mongod: Server, database: Documents) -> None:
    """A copy of a field that is null, or missing, is what `check` says it must be, and a change of it arrives."""
    database["customers"].insert_many({"_id": n, "town": f"t{n}", **_field("name", n, f"n{n}")} for n in range(21))
    database["orders"].insert_many({"_id": n, "customer_id": n % 21, "at": n} for n in range(60))
    today = designs(mongod, database)[0]
    (link,) = today.design.model.relationships
    copied = Copy("customer", (up(link),), (Field("name", "name"), Field("town", "town")), Form.OBJECT, TRANSACTION)
    stored = tuple(
        replace(each, body=replace(each.body, copies=(copied,))) if each.name == "orders" else each
        for each in today.design.collections
    )
    moves = today, Proposal("", replace(today.design, collections=stored))
    assert pipeline.migrate(*moves, database).equal
    database["customers"].update_one({"_id": 2}, {"$set": {"name": None}})
    database["customers"].update_one({"_id": 4}, {"$unset": {"name": ""}})
    assert pipeline.migrate(*moves, database, cutover=True).equal
    assert not pipeline.check(moves[1], database).findings
    Store(moves[1], database).execute("UPDATE customers SET town = 'x' WHERE _id = 1")
    Store(moves[1], database).execute("UPDATE customers SET name = NULL WHERE _id = 5")
    assert (database["orders"].find_one({"_id": 2}) or {})["customer"] == {"name": None, "town": "t2"}
    assert not pipeline.check(moves[1], database).findings


@pytest.mark.thorough
def test_a_null_that_is_copied_already_is_not_lost(mongod: Server, database: Documents) -> None:
    """A copy is derived anew: a null in it stands in no way, and is one where its source is null."""
    names = [_field("name", n, f"n{n}") for n in range(21)]
    database["customers"].insert_many({"_id": n, "town": f"t{n}", **name} for n, name in enumerate(names))
    copies = [{f"customer_{key}": value for key, value in name.items()} for name in names]
    database["orders"].insert_many(
        {"_id": n, "customer_id": n % 21, "lines": [{"no": 1}], **copies[n % 21]} for n in range(60)
    )
    today, new = designs(mongod, database)
    (orders,) = (each for each in today.design.collections if each.name == "orders")
    assert orders.body.copies
    stored = tuple(
        replace(each, body=replace(each.body, copies=orders.body.copies)) if each.name == "orders" else each
        for each in new.design.collections
    )
    moves = today, Proposal("", replace(new.design, collections=stored))
    assert not pipeline.plan_migration(*moves, database).refused
    assert pipeline.migrate(*moves, database, cutover=True).equal
    for order in database["orders"].find():
        told = {key: value for key, value in order.items() if key == "customer_name"}
        assert told == copies[order["customer_id"]]


def _said(database: Documents) -> dict[tuple[object, ...], str]:
    """What documents say of people, addresses, letters and calls, wherever these are."""
    found: dict[tuple[object, ...], str] = {}
    for person in database["people"].find():
        calls, letters = person.get("calls", []), person.get("letters", [])
        number = person["_id"]
        for name in ("phone", "age", "score", "manager_id", "details"):
            found["people", number, name] = _told(person, name)
        for call in calls:
            found["calls", call["_id_"], "minutes"] = _told(call, "minutes")
        for letter in letters:
            found["letters", number, letter["no"], "read"] = _told(letter, "read")
        if "address" in person:
            found["address", number, "street"] = _told(person["address"], "street")
    for call in database["calls"].find():
        found["calls", call["_id"], "minutes"] = _told(call, "minutes")
    for letter in database["letters"].find():
        found["letters", *letter["_id"].values(), "read"] = _told(letter, "read")
    for address in database["address"].find():
        found["address", address["_id"], "street"] = _told(address, "street")
    return found


def _told(document: dict[str, Any], name: str) -> str:
    return repr(document[name]) if name in document else "missing"


@pytest.mark.thorough
def test_a_null_where_the_design_has_none(mongod: Server, database: Documents) -> None:
    """An application writes one while the migration runs: it is named where a document would hold it, and copied as it is."""
    database["customers"].insert_many({"_id": n, "name": f"n{n}"} for n in range(20))
    database["orders"].insert_many(
        {"_id": n, "customer_id": n % 20, "total": n, "customer_name": f"n{n % 20}", "lines": [{"no": 1}]}
        for n in range(60)
    )
    today, new = designs(mongod, database)
    (orders,) = (each for each in today.design.collections if each.name == "orders")
    stored = tuple(
        replace(each, body=replace(each.body, copies=orders.body.copies)) if each.name == "orders" else each
        for each in new.design.collections
    )
    moves = today, Proposal("", replace(new.design, collections=stored))
    assert pipeline.migrate(*moves, database).equal
    database["orders"].update_one({"_id": 7}, {"$set": {"total": None}})
    told = (
        r"`total` is null or missing in 1 document, such as _id 7, which the design does not allow\n  → give it a value"
    )
    with pytest.raises(MigrationError, match=told):
        pipeline.migrate(*moves, database)
    database["orders"].update_one({"_id": 7}, {"$set": {"total": 8}})
    database["customers"].update_one({"_id": 3}, {"$set": {"name": None}})
    assert pipeline.migrate(*moves, database, cutover=True, may_lose=["copies"]).equal
    assert (database["orders"].find_one({"_id": 3}) or {"customer_name": ""}).get("customer_name") is None
    assert pipeline.check(moves[1], database).clean
