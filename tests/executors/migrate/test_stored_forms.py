"""Values come out of a migration as BSON has them, byte for byte, whichever way documents come over, and while they change."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

import bson
import pytest
from bson import Binary, Code, DBRef, Decimal128, Int64, MinKey, ObjectId, Regex, Timestamp
from pymongo.database import Database

from nestling import pipeline
from nestling.common.server import Server
from nestling.ir.freshness import TRANSACTION
from nestling.ir.primitives import Copy, Field, Form
from nestling.ir.proposal import Proposal
from nestling.ir.rows import up
from tests.executors.migrate.test_array_orders import designs

Documents = Database[dict[str, Any]]


def _order(n: int) -> dict[str, Any]:
    """Numbers of all kinds, values that SQL has no type for, and json that could be taken for Extended JSON."""
    old_uuid = Binary(UUID(int=n).bytes, 3)
    return {
        "_id": Int64(n) if n % 2 else n,
        "users_id": n % 20,
        "legacy": old_uuid,
        "any_uuid": old_uuid if n % 2 else Binary(UUID(int=n).bytes, 4),
        "saved": {"op": {"$set": {"x": n}}, "n": n} if n % 3 else f"t{n}",
        "said": [{"$oid": "64f000000000000000000001"}, {"$numberDecimal": "1"}, {"$date": "2025-01-01T00:00:00Z"}][
            n % 3
        ],
        "parts": {"a": Int64(n), "at": datetime(2025, 1, 1)} if n % 2 else "text",  # noqa: DTZ001
        "matrix": [[Int64(2), old_uuid], [Decimal128("1.10"), None, ObjectId(f"{n:024x}")]],
        "odd": [Regex("^a/b", "i"), Timestamp(n, 1), DBRef("users", n), Code("f()", {"x": 1}), MinKey()][n % 5],
        "big": Int64(n) if n % 2 else n,
        "bal": [4.0, 4, 0.5, Int64(4)][n % 4],
        "price": Decimal128(["1.10", "1.100", "0E-10", "1.1E+3"][n % 4]),
        "lines": [{"no": Int64(no), "size": Int64(no) if n % 2 else float(no), "legacy": old_uuid} for no in range(3)],
        "codes": sorted({Int64(n), Int64(n + 1)}),
    }


@pytest.fixture
def shop(database: Documents) -> Documents:
    """Orders of users."""
    database["users"].insert_many({"_id": n, "name": f"n{n}", "size": Int64(n)} for n in range(20))
    database["orders"].insert_many(map(_order, range(60)))
    return database


def with_copy(today: Proposal) -> Proposal:
    """Today's design with what each order's user is, in the order."""
    link = next(each for each in today.design.model.relationships if each.parent == "users")
    copied = Copy("user", (up(link),), (Field("name", "name"), Field("size", "size")), Form.OBJECT, TRANSACTION)
    stored = tuple(
        replace(each, body=replace(each.body, copies=(copied,))) if each.name == "orders" else each
        for each in today.design.collections
    )
    return Proposal("", replace(today.design, collections=stored))


def _values(database: Documents) -> dict[tuple[object, ...], bytes]:
    """Every value of orders, of their lines and codes, in BSON, where it is now."""
    found: dict[tuple[object, ...], bytes] = {}
    for line in database["lines"].find():
        order_id, no = line["_id"].values()
        told = {"no": no, "size": line["size"], "legacy": line["legacy"]}
        found |= {(order_id, no, name): bson.encode({"": told[name]}) for name in told}
    for code in database["codes"].find():
        order_id, value = code["_id"].values()
        found[order_id, "codes", value] = bson.encode({"": value})
    for order in database["orders"].find():
        for name in order.keys() - {"lines", "codes", "user"}:
            found[order["_id"], name] = bson.encode({"": order[name]})
        for line in order.get("lines", ()):
            found |= {(order["_id"], line["no"], name): bson.encode({"": line[name]}) for name in line}
        for code in order.get("codes", ()):
            found[order["_id"], "codes", code] = bson.encode({"": code})
    return found


@pytest.mark.one_in(2)
@pytest.mark.in_turn("by_client")
@pytest.mark.parametrize("strategy", ["", "normalized"])
@pytest.mark.parametrize("by_client", [False, True])
def test_values_stay_what_they_are(mongod: Server, shop: Documents, strategy: str, by_client: bool) -> None:
    """Also those that changed meanwhile, be it only from one kind of number to another."""
    today, other = designs(mongod, shop, strategy or "normalized")
    moves = today, other if strategy else with_copy(today)
    assert pipeline.migrate(*moves, shop).equal
    if by_client:  # each document is derived again
        shop["orders"].update_many({}, [{"$set": {"changed": True}}])
        shop["orders"].update_many({}, {"$unset": {"changed": ""}})
    shop["orders"].update_one({"_id": 3}, {"$set": {"big": 3, "bal": Int64(3), "legacy": Binary(b"\1" * 16, 3)}})
    shop["orders"].update_one({"_id": 4}, {"$set": {"big": Int64(4), "bal": 4.0, "lines.1.size": Int64(1)}})
    before = _values(shop)
    assert pipeline.migrate(*moves, shop, cutover=True).equal
    after = _values(shop)
    assert {key: (before[key], after.get(key)) for key in before if before[key] != after.get(key)} == {}
    if not strategy:
        users = [order["user"]["size"] for order in shop["orders"].find()]
        assert {type(size) for size in users} == {Int64}
