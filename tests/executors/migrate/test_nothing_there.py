"""Nothing, as applications write it: null, or a missing array. Migrating goes on with both, and the new design takes both."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import MigrationError
from nestling.common.server import Server
from nestling.ir.proposal import Proposal
from tests.executors.migrate.test_array_orders import designs

Documents = Database[dict[str, Any]]


@pytest.fixture
def orders(database: Documents) -> Documents:
    """Orders with lines, that become a collection; most have no notes, some no lines either, and some an email that is null."""
    for n in range(30):
        order = {"_id": n, "total": n, "lines": [{"line": k, "sku": f"s{k}"} for k in range(1, 4)]}
        notes = {"notes": [{"by": "anna", "text": "hi"}]} if n % 5 == 0 else {}
        email = {} if n % 3 == 0 else {"email": None if n % 3 == 1 else f"{n}@x.org"}
        database["orders"].insert_one({**order, **notes, **email})
    return database


def _moves(mongod: Server, database: Documents) -> tuple[Any, Any]:
    """Today's design, and one in which the lines are a collection and the notes stay where they are."""
    today, normalized = designs(mongod, database)
    (old,) = today.design.collections
    notes = tuple(each for each in old.body.embeddings if each.field == "notes")
    kept = tuple(
        replace(each, body=replace(each.body, embeddings=notes)) if each.name == "orders" else each
        for each in normalized.design.collections
        if each.name != "notes"
    )
    indexes = tuple(each for each in normalized.design.indexes if each.collection != "notes")
    return today, Proposal("", replace(normalized.design, collections=kept, indexes=indexes))


def test_a_null_is_lost_with_leave_alone(mongod: Server, orders: Documents) -> None:
    """The plan and the refusal name it; nobody has to change production data; an insert with null is taken after the cutover."""
    moves = _moves(mongod, orders)
    orders["orders"].update_many({"_id": {"$in": [1, 2, 3]}}, {"$set": {"notes": None}})
    told = "`orders.notes` in 3 documents, such as _id 1, is null, and would become a missing field"
    assert [risk for risk in pipeline.plan_migration(*moves, orders).risks if risk.startswith(told)]
    with pytest.raises(MigrationError) as refused:
        pipeline.migrate(*moves, orders)
    assert [each.what.startswith(told) for each in refused.value.problems] == [True]
    assert "`--drop-nulls`" in refused.value.problems[0].next_move
    assert orders.list_collection_names() == ["orders"]
    assert pipeline.migrate(*moves, orders, may_lose=["nulls"]).equal
    orders["orders"].update_one({"_id": 1}, {"$set": {"total": 100}})
    orders["orders"].insert_one({"_id": 91, "total": 1, "email": None, "lines": []})
    assert pipeline.migrate(*moves, orders, cutover=True, may_lose=["nulls"]).equal
    assert orders["orders"].count_documents({"email": None}) == 21
    assert orders["orders"].count_documents({"email": {"$type": "null"}}) == 11
    assert orders["orders"].count_documents({"notes": {"$type": "null"}}) == 0
    orders["orders"].insert_one({"_id": 92, "total": 1, "email": None, "notes": []})
    rows = Store(moves[1], orders).execute("SELECT count(*) AS n FROM orders WHERE email IS NULL")
    assert rows[0]["n"] == 22


@pytest.mark.thorough
def test_a_missing_array_may_be_missing_after_the_cutover(mongod: Server, orders: Documents) -> None:
    """The plan says which documents get an empty one; the application's inserts without it are taken, and read."""
    moves = _moves(mongod, orders)
    orders["orders"].delete_many({"email": {"$type": "null"}})
    risks = pipeline.plan_migration(*moves, orders).risks
    (told,) = [risk for risk in risks if "will be an empty array" in risk]
    assert told.startswith("`orders.notes` is missing in 16 documents, such as _id 2: ")
    assert pipeline.migrate(*moves, orders, cutover=True).equal
    assert orders["orders"].count_documents({"notes": []}) == 16
    orders["orders"].insert_one({"_id": 91, "total": 1})
    store = Store(moves[1], orders)
    assert store.execute("SELECT count(*) AS n FROM orders")[0]["n"] == 21
    sql = "SELECT o._id AS id, n.text AS text FROM orders o LEFT JOIN notes n ON n.order_id = o._id WHERE o._id = 91"
    assert [each["text"] for each in store.execute(sql)] == [None]
