"""Copies of what is null in a live MongoDB: null where it is, missing where it is missing, whoever keeps them so."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.server import Server
from nestling.store import Store

Documents = Database[dict[str, Any]]


def _name(number: int, *, nullable: bool) -> dict[str, Any]:
    if nullable and number % 10 in (3, 4):
        return {"name": None} if number % 10 == 4 else {}
    return {"name": f"N{number}"}


@pytest.mark.one_in(2)
@pytest.mark.in_turn("nullable")
@pytest.mark.parametrize("nullable", [True, False])
@pytest.mark.parametrize("form", ["inline", "object"])
def test_all_agree_what_a_copy_of_a_null_is(form: str, nullable: bool, mongod: Server, database: Documents) -> None:
    """A sync writes what a check asks for, once."""
    customers = [{"_id": i, "city": f"c{i}", **_name(i, nullable=nullable)} for i in range(100)]
    database["customers"].insert_many(customers)
    orders = []
    for i in range(1000):
        name = _name(i % 100, nullable=nullable)
        copy = (
            {f"customer_{k}": v for k, v in name.items()}
            if form == "inline"
            else {"customer": {"city": f"c{i % 100}", **name}}
        )
        orders.append({"_id": i, "customer_id": i % 100, "total": i, **copy})
    database["orders"].insert_many(orders)
    uri = mongod.uri.replace("/?", f"/{database.name}?")
    today = pipeline.in_place(uri).in_place
    assert [c for each in today.design.collections for c in each.body.copies]
    assert pipeline.check(today, database).clean
    pipeline.sync(today, database, once=True)
    database["customers"].update_one({"_id": 1}, {"$set": {"name": None}})
    database["customers"].update_one({"_id": 2}, {"$unset": {"name": 1}})
    database["customers"].update_one({"_id": 4}, {"$set": {"name": "was null"}})
    pipeline.sync(today, database, once=True)
    assert pipeline.check(today, database).clean


@pytest.mark.thorough
def test_what_a_store_writes_is_clean(mongod: Server, database: Documents) -> None:
    """It leaves a field out where another application has null, which is one NULL in SQL."""
    names = [_name(number, nullable=True) for number in range(100)]
    database["customers"].insert_many({"_id": n, "city": f"c{n}", **name} for n, name in enumerate(names))
    copies = [{f"customer_{key}": value for key, value in name.items()} for name in names]
    database["orders"].insert_many(
        {"_id": i, "customer_id": i % 100, "total": i, **copies[i % 100]} for i in range(1000)
    )
    today = pipeline.in_place(mongod.uri.replace("/?", f"/{database.name}?")).in_place
    store = Store(today.design, database)
    store.execute("INSERT INTO orders (_id, customer_id, total) VALUES (5000, 4, 3), (5001, 3, 3), (5002, 5, 3)")
    store.execute("UPDATE orders SET customer_id = 14 WHERE _id = 7")
    store.execute("UPDATE customers SET name = NULL WHERE _id = 9")
    assert [each.get("customer_name") for each in database["orders"].find({"_id": {"$gte": 5000}})] == [
        None,
        None,
        "N5",
    ]
    assert pipeline.check(today, database).clean
    database["orders"].update_one({"_id": 14}, {"$set": {"customer_name": "wrong"}})
    assert pipeline.check(today, database, repair=True).clean
    assert database["orders"].find_one({"_id": 14}, {"_id": 0, "customer_name": 1}) == {"customer_name": None}
