"""What SQL has one value for, or none, comes through the client as the documents have it."""

from __future__ import annotations

import math
from typing import Any

import bson
import pytest
from bson import Binary, Decimal128, Int64, ObjectId, Regex
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import MigrationError
from nestling.common.server import Server
from nestling.ir.codec import CODEC
from tests.executors.migrate.test_array_orders import designs

Documents = Database[dict[str, Any]]


def _id(number: int) -> ObjectId:
    return ObjectId(f"{number:024x}")


def _either(number: int, fraction: int) -> ObjectId | str:
    """An ObjectId, or for one in so many numbers the text of its digits."""
    return _id(number) if number % fraction else str(_id(number))


def _encoded(documents: list[dict[str, Any]]) -> dict[bytes, bytes]:
    return {bson.encode({"": each["_id"]}): bson.encode(each, codec_options=CODEC) for each in documents}


def _all_changed(database: Documents, mongod: Server, name: str) -> list[dict[str, Any]]:
    """Migrate, change every document meanwhile, and yield them as they are after the cutover, without what they embedded."""
    moves = designs(mongod, database)
    assert not pipeline.plan_migration(*moves, database).refused
    assert pipeline.migrate(*moves, database).equal
    database[name].update_many({}, {"$set": {"seen": 2}})
    before = [{key: value for key, value in each.items() if key != "lines"} for each in database[name].find()]
    assert pipeline.migrate(*moves, database, cutover=True).equal
    assert "lines" in database.list_collection_names()
    assert _encoded(list(database[name].find())) == _encoded(before)
    return before


@pytest.mark.thorough
@pytest.mark.parametrize("fraction", [2, 5])
def test_an_object_id_is_not_the_text_of_its_digits(fraction: int, mongod: Server, database: Documents) -> None:
    """In keys, in what refers to them, in fields and in arrays, whichever most values are; two documents may have both."""
    orders = [
        {"_id": _either(n, fraction), "v": n, "p": _either(n, 3), "seen": 0, "lines": [{"no": k} for k in range(3)]}
        for n in range(1, 60)
    ]
    twins = [{**each, "_id": str(each["_id"])} for each in orders[:4] if isinstance(each["_id"], ObjectId)]
    database["orders"].insert_many([*orders, *twins])
    shipments = [{"_id": n, "order_id": each["_id"]} for n, each in enumerate([*orders, *twins])]
    database["shipments"].insert_many(shipments)
    found = _all_changed(database, mongod, "orders")
    assert len(found) == len(orders) + len(twins)
    lines = list(database["lines"].find())
    assert len(lines) == 3 * len(found)
    assert {bson.encode({"": each["_id"]["order_id"]}) for each in lines} == {
        bson.encode({"": each["_id"]}) for each in found
    }
    assert _encoded(list(database["shipments"].find())) == _encoded(shipments)


@pytest.mark.thorough
def test_floats_stay_what_they_are(mongod: Server, database: Documents) -> None:
    """A zero keeps its sign, and a whole float beside integers stays one."""
    plain = [1.5, -0.0, 0.0, math.inf, -math.inf, 1e300]
    mixed = [1, 2.0, -0.0, 2.5]
    database["users"].insert_many(
        {"_id": n, "plain": plain[n % 6], "mixed": mixed[n % 4], "seen": 0, "lines": [{"no": 1}]} for n in range(60)
    )
    _all_changed(database, mongod, "users")


@pytest.mark.thorough
def test_json_stays_what_bson_has(mongod: Server, database: Documents) -> None:
    """Whatever stands in a field of all kinds, what looks like Extended JSON among it."""
    values: list[Any] = [
        {"a": 1, "b": Int64(1)}, "text", [1, [2]], math.inf, -0.0, b"raw", Binary(b"q", 128), Binary(b"\xff", 130),
        Binary(b"{}", 129), Binary(b"x" * 16, 3), _id(3), str(_id(3)), [_id(4), str(_id(4))], {"x": Binary(b"q", 128)},
        {"$oid": str(_id(5))}, {"$date": "2025-01-01T00:00:00Z", "at": Regex("^a", "i")}, "null", '{"a": 1}',
        Decimal128("-0"), Decimal128("1.10"), {"deep": {"y": math.nan}}, math.nan,
    ]  # fmt: skip
    database["users"].insert_many(
        {"_id": n, "w": values[n % len(values)], "seen": 0, "lines": [{"no": 1}]} for n in range(5 * len(values))
    )
    moves = designs(mongod, database)
    assert str(moves[0].design.model.entity("users").attribute("w").type) == "json"
    _all_changed(database, mongod, "users")


def test_a_value_that_is_refused_is_counted_alone(mongod: Server, database: Documents) -> None:
    """Of a field of one type, told are the documents that have the same value, not all that have its type."""
    database["users"].insert_many({"_id": n, "total": n, "lines": [{"no": 1}]} for n in range(30))
    moves = designs(mongod, database)
    assert pipeline.migrate(*moves, database).equal
    database["users"].update_many({"_id": {"$in": [7, 8]}}, {"$set": {"total": "12"}})
    database["users"].update_one({"_id": 9}, {"$set": {"total": "x"}})
    with pytest.raises(MigrationError) as refused:
        pipeline.migrate(*moves, database)
    (problem,) = refused.value.problems
    assert problem.what == '`total` is "12" in 2 documents, such as _id 7: it cannot be carried over as it is'
