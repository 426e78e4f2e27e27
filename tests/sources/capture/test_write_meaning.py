"""Every kind of write, done on a real server and, as the SQL it is captured as, through `Store` on the same documents: the same
documents afterwards, or else the statement carries a note, or the write is a gap. None differs silently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from bson import ObjectId
from pymongo import DeleteOne, InsertOne, MongoClient, UpdateMany, UpdateOne

from nestling import Store, pipeline
from nestling.common.server import Server
from nestling.ir.proposal import Proposal
from nestling.recorder import Recorder
from nestling.sources.capture.sql.workload import CapturedWorkload
from tests.sources.capture.shops import Db

AT = datetime(2026, 5, 1, 10, tzinfo=UTC)
USERS, CARTS, PRODUCTS = ([ObjectId(f"{kind}{n:023x}") for n in range(40)] for kind in "abc")
U, C, P = USERS[0], CARTS[0], PRODUCTS[0]
"""A user of three carts, the first of these, and the product that it holds twice."""
Write = Callable[[Db], Any]


def documents() -> dict[str, list[dict[str, Any]]]:
    """Carts, three a user, whose items have no key; notes with an id in each line."""
    carts = [
        {
            "_id": CARTS[n],
            "userId": USERS[n // 3],
            "state": "open" if n % 2 else "shut",
            "total": n,
            "least": 5,
            **({"remark": f"remark {n}"} if n % 4 else {}),
            "items": [{"productId": PRODUCTS[p], "qty": 1 + p % 5} for p in (n, n, n + 1)[: 1 + n % 3 if n else 3]],
            "tags": [f"tag {n}", f"tag {n + 1}"],
            "address": {"street": f"street {n}", "city": f"city {n % 7}"},
            "at": AT,
        }
        for n in range(30)
    ]
    notes = [
        {
            "_id": n,
            "title": f"title {n}",
            "lines": [{"_id": line(n, k), "sku": f"sku {n} {k}", "stock": k + n % 2, "from": "red"} for k in range(3)],
        }
        for n in range(30)
    ]
    return {"carts": carts, "notes": notes}


def line(n: int, k: int) -> ObjectId:
    """The id of a line of a note."""
    return ObjectId(f"e{n:011x}{k:012x}")


EXACT: dict[str, Write] = {
    "set by key": lambda db: db.carts.update_one({"_id": C}, {"$set": {"state": "gone", "total": 7}}),
    "null": lambda db: db.carts.update_one({"_id": CARTS[1]}, {"$set": {"remark": None}}),
    "unset": lambda db: db.carts.update_one({"_id": CARTS[1]}, {"$unset": {"remark": 1}}),
    "numbers": lambda db: db.carts.update_one({"_id": C}, {"$inc": {"total": 3}, "$mul": {"least": 4}}),
    "least and most": lambda db: db.carts.update_one({"_id": C}, {"$max": {"total": 70}, "$min": {"least": 2}}),
    "several documents": lambda db: db.carts.update_many({"userId": U}, {"$set": {"state": "gone"}}),
    "a pipeline": lambda db: db.carts.update_many({"userId": U}, [{"$set": {"total": {"$add": ["$total", "$least"]}}}]),
    "delete several": lambda db: db.carts.delete_many({"userId": U}),
    "delete by key": lambda db: db.carts.delete_one({"_id": C}),
    "find one and delete by key": lambda db: db.carts.find_one_and_delete({"_id": C}),
    "find one and update by key": lambda db: db.carts.find_one_and_update({"_id": C}, {"$inc": {"total": 1}}),
    "push by key": lambda db: db.carts.update_one({"_id": C}, {"$push": {"items": {"productId": P, "qty": 9}}}),
    "push by another filter": lambda db: db.carts.update_many(
        {"userId": U, "state": "open"}, {"$push": {"items": {"productId": P, "qty": 9}}}
    ),
    "push by key and more that holds": lambda db: db.carts.update_one(
        {"_id": C, "state": "shut"}, {"$push": {"items": {"productId": P, "qty": 9}}}
    ),
    "push by key and more that does not hold": lambda db: db.carts.update_one(
        {"_id": C, "state": "lost"}, {"$push": {"items": {"productId": P, "qty": 9}}}
    ),
    "push a value": lambda db: db.carts.update_one({"_id": C}, {"$push": {"tags": "new"}}),
    "add a value that is new": lambda db: db.carts.update_one({"_id": C}, {"$addToSet": {"tags": "new"}}),
    "add a value that is there": lambda db: db.carts.update_one({"_id": C}, {"$addToSet": {"tags": "tag 0"}}),
    "pull documents": lambda db: db.carts.update_one({"_id": C}, {"$pull": {"items": {"productId": P}}}),
    "pull beside a test of another element": lambda db: db.carts.update_one(
        {"_id": C, "items.productId": PRODUCTS[1]}, {"$pull": {"items": {"productId": P}}}
    ),
    "pull beside a test that does not hold": lambda db: db.carts.update_one(
        {"_id": C, "items.productId": PRODUCTS[9]}, {"$pull": {"items": {"productId": P}}}
    ),
    "pull a value": lambda db: db.carts.update_one({"_id": C}, {"$pull": {"tags": "tag 0"}}),
    "empty an array": lambda db: db.carts.update_one({"_id": C}, {"$set": {"items": []}}),
    "unset an array": lambda db: db.carts.update_one({"_id": C}, {"$unset": {"tags": 1}}),
    "push by another filter, with a field whose name is a word of SQL": lambda db: db.notes.update_many(
        {"title": "title 3"}, {"$push": {"lines": {"_id": line(3, 9), "sku": "x", "stock": 1, "from": "blue"}}}
    ),
    "the element of a key": lambda db: db.notes.update_one(
        {"_id": 1, "lines._id": line(1, 1)}, {"$inc": {"lines.$.stock": -1}}
    ),
    "the element of a key, found by it": lambda db: db.notes.update_one(
        {"lines._id": line(1, 1)}, {"$set": {"lines.$.from": "blue"}}
    ),
    "two fields of an element": lambda db: db.notes.update_one(
        {"_id": 1, "lines._id": line(1, 1)}, {"$set": {"lines.$.stock": 9, "lines.$.from": "blue"}}
    ),
    "all elements": lambda db: db.carts.update_one({"_id": C}, {"$inc": {"items.$[].qty": 10}}),
    "all elements of what has a certain one": lambda db: db.carts.update_many(
        {"items.productId": PRODUCTS[1]}, {"$inc": {"items.$[].qty": 10}}
    ),
    "elements of a filter": lambda db: db.notes.update_one(
        {"_id": 1}, {"$inc": {"lines.$[each].stock": 5}}, array_filters=[{"each.stock": {"$gte": 2}}]
    ),
    "elements of a filter beside a test": lambda db: db.notes.update_one(
        {"_id": 1, "lines.stock": 1}, {"$inc": {"lines.$[each].stock": 5}}, array_filters=[{"each.stock": {"$gte": 2}}]
    ),
    "elements of two filters": lambda db: db.notes.update_one(
        {"_id": 1},
        {"$inc": {"lines.$[low].stock": 5}, "$set": {"lines.$[high].from": "blue"}},
        array_filters=[{"low.stock": 1}, {"high.stock": 3}],
    ),
    "what the filter asks for, changed with elements": lambda db: db.carts.update_one(
        {"_id": C, "state": "shut"}, {"$set": {"state": "gone"}, "$push": {"items": {"productId": P, "qty": 9}}}
    ),
    "insert": lambda db: db.notes.insert_one({"_id": 77, "title": "new"}),
    "bulk": lambda db: db.carts.bulk_write(
        [
            UpdateOne({"_id": C}, {"$set": {"total": 8}}),
            UpdateMany({"userId": USERS[2]}, {"$inc": {"least": 1}}),
            DeleteOne({"_id": CARTS[5]}),
        ]
    ),
    "a sub-document's field": lambda db: db.carts.update_one({"_id": C}, {"$set": {"address.city": "Oslo"}}),
    "a whole sub-document": lambda db: db.carts.update_one(
        {"_id": C}, {"$set": {"address": {"street": "Pier", "city": "Oslo"}}}
    ),
    "unset a sub-document": lambda db: db.carts.update_one({"_id": C}, {"$unset": {"address": 1}}),
    "update one of several": lambda db: db.carts.update_one({"userId": U}, {"$set": {"state": "gone"}}),
    "find one of several and update": lambda db: db.carts.find_one_and_update(
        {"userId": U}, {"$set": {"state": "gone"}}
    ),
    "find the last of several and update": lambda db: db.carts.find_one_and_update(
        {"userId": U}, {"$set": {"state": "gone"}}, sort=[("total", -1)]
    ),
    "push to one of several": lambda db: db.carts.update_one(
        {"userId": U}, {"$push": {"items": {"productId": P, "qty": 9}}}
    ),
}
"""Writes whose SQL does the same and carries no note."""
OTHERS: dict[str, Write] = {
    "a sub-document with fewer fields": lambda db: db.carts.update_one(
        {"_id": C}, {"$set": {"address": {"city": "Oslo"}}}
    ),
    "set null and unset": lambda db: db.carts.update_one(
        {"_id": CARTS[1]}, {"$set": {"remark": None}, "$unset": {"at": 1}}
    ),
    "find the last of several and delete": lambda db: db.carts.find_one_and_delete({"userId": U}, sort=[("total", -1)]),
    "delete one of several": lambda db: db.carts.delete_one({"userId": U}),
    "set and rename": lambda db: db.carts.update_one({"_id": C}, {"$rename": {"state": "status"}}),
    "the first element": lambda db: db.carts.update_one(
        {"_id": C, "items.productId": P}, {"$inc": {"items.$.qty": -1}}
    ),
    "the first element of a range": lambda db: db.notes.update_one(
        {"_id": 1, "lines.stock": {"$gt": 0}}, {"$inc": {"lines.$.stock": -1}}
    ),
    "the first element of several tests": lambda db: db.notes.update_one(
        {"_id": 2, "lines.from": "red", "lines.stock": {"$gt": 0}}, {"$inc": {"lines.$.stock": -1}}
    ),
    "the first element of a match": lambda db: db.notes.update_one(
        {"_id": 2, "lines": {"$elemMatch": {"from": "red", "stock": {"$gt": 0}}}}, {"$inc": {"lines.$.stock": -1}}
    ),
    "an element in an $or": lambda db: db.notes.update_one(
        {"_id": 2, "$or": [{"lines.stock": 1}, {"lines.stock": 2}]}, {"$inc": {"lines.$.stock": -1}}
    ),
    "an element in an $and": lambda db: db.notes.update_one(
        {"_id": 2, "$and": [{"lines.stock": {"$gte": 1}}, {"lines.stock": {"$lt": 2}}]}, {"$inc": {"lines.$.stock": 9}}
    ),
    "a place": lambda db: db.carts.update_one({"_id": C}, {"$inc": {"items.0.qty": 1}}),
    "a place beyond the end": lambda db: db.carts.update_one({"_id": C}, {"$set": {"items.5.qty": 1}}),
    "the value at a place": lambda db: db.carts.update_one({"_id": C}, {"$set": {"tags.0": "other"}}),
    "a value that is found": lambda db: db.carts.update_one({"_id": C, "tags": "tag 0"}, {"$set": {"tags.$": "other"}}),
    "a filter by a place": lambda db: db.carts.update_many(
        {"items.1.productId": PRODUCTS[1]}, {"$set": {"state": "gone"}}
    ),
    "an element as a whole": lambda db: db.carts.update_one(
        {"_id": C, "items.qty": 1}, {"$set": {"items.$": {"productId": P, "qty": 7}}}
    ),
    "push several": lambda db: db.carts.update_one(
        {"_id": C}, {"$push": {"items": {"$each": [{"productId": P, "qty": 8}, {"productId": P, "qty": 9}]}}}
    ),
    "push to a slice": lambda db: db.carts.update_one(
        {"_id": C}, {"$push": {"items": {"$each": [{"productId": P, "qty": 8}], "$slice": -2}}}
    ),
    "push in front": lambda db: db.carts.update_one(
        {"_id": C}, {"$push": {"items": {"$each": [{"productId": P, "qty": 8}], "$position": 0}}}
    ),
    "push no document of the model": lambda db: db.carts.update_one(
        {"_id": C}, {"$push": {"items": {"productId": P, "gift": True}}}
    ),
    "push where no array is": lambda db: db.carts.update_one({"_id": C}, {"$push": {"lost": 1}}),
    "add a document": lambda db: db.carts.update_one({"_id": C}, {"$addToSet": {"items": {"productId": P, "qty": 1}}}),
    "add several": lambda db: db.carts.update_one({"_id": C}, {"$addToSet": {"tags": {"$each": ["tag 0", "new"]}}}),
    "pop": lambda db: db.carts.update_one({"_id": C}, {"$pop": {"items": -1}}),
    "pull all": lambda db: db.carts.update_one({"_id": C}, {"$pullAll": {"tags": ["tag 0", "tag 1"]}}),
    "pull by a list": lambda db: db.carts.update_one({"_id": C}, {"$pull": {"tags": {"$in": ["tag 0", "tag 1"]}}}),
    "a whole array": lambda db: db.carts.update_one(
        {"_id": C}, {"$set": {"items": [{"productId": P, "qty": 1}, {"productId": P, "qty": 2}]}}
    ),
    "a whole array of values": lambda db: db.carts.update_one({"_id": C}, {"$set": {"tags": ["x", "y"]}}),
    "an array set to null": lambda db: db.carts.update_one({"_id": C}, {"$set": {"tags": None}}),
    "replace": lambda db: db.carts.replace_one(
        {"_id": C}, {"userId": U, "state": "new", "total": 1, "least": 2, "at": AT}
    ),
    "replace with arrays": lambda db: db.carts.replace_one(
        {"_id": C}, {"userId": U, "state": "new", "items": [{"productId": P, "qty": 1}]}
    ),
    "replace a note": lambda db: db.notes.replace_one({"_id": 1}, {"title": "other"}),
    "find one and replace": lambda db: db.carts.find_one_and_replace({"_id": C}, {"userId": U, "state": "new"}),
    "upsert that finds": lambda db: db.carts.update_one({"_id": C}, {"$set": {"state": "gone"}}, upsert=True),
    "upsert that does not find": lambda db: db.notes.update_one({"_id": 99}, {"$set": {"title": "new"}}, upsert=True),
    "upsert that only inserts": lambda db: db.notes.update_one(
        {"_id": 99}, {"$setOnInsert": {"title": "new"}}, upsert=True
    ),
    "upsert of an element": lambda db: db.notes.update_one(
        {"_id": 99}, {"$push": {"lines": {"_id": USERS[3], "sku": "x", "stock": 1, "from": "red"}}}, upsert=True
    ),
    "upsert of an element's field": lambda db: db.notes.update_one(
        {"_id": 99}, {"$set": {"title": "new"}, "$push": {"lines": {"_id": USERS[3], "sku": "x"}}}, upsert=True
    ),
    "a field of a sub-document that lacks": lambda db: db.carts.update_one(
        {"_id": CARTS[29]}, {"$set": {"address.city": "Oslo"}}
    ),
    "the smallest of null": lambda db: db.carts.update_one({"_id": CARTS[28]}, {"$min": {"remark": "a"}}),
    "bits": lambda db: db.carts.update_one({"_id": C}, {"$bit": {"total": {"or": 4}}}),
    "now": lambda db: db.carts.update_one({"_id": C}, {"$currentDate": {"seen": True}}),
    "a pipeline that reads what it set": lambda db: db.carts.update_one(
        {"_id": C}, [{"$set": {"total": 100}}, {"$set": {"least": "$total"}}]
    ),
    "a pipeline that sets twice": lambda db: db.carts.update_one(
        {"_id": C}, [{"$set": {"total": 1}}, {"$set": {"total": 2}}]
    ),
    "a pipeline that takes away": lambda db: db.carts.update_one({"_id": C}, [{"$unset": ["state"]}]),
    "a pipeline of an array": lambda db: db.carts.update_one({"_id": C}, [{"$set": {"items": []}}]),
    "a pipeline with a replacement": lambda db: db.carts.update_one(
        {"_id": C}, [{"$replaceWith": {"_id": "$_id", "total": 1}}]
    ),
    "what the filter asks of elements, changed with the document": lambda db: db.notes.update_one(
        {"lines.stock": 3}, {"$set": {"lines.$.stock": 9, "title": "gone"}}
    ),
    "what the filter asks, changed with elements": lambda db: db.carts.update_many(
        {"state": "shut"}, {"$set": {"state": "gone", "items.$[].qty": 3}}
    ),
    "delete by elements": lambda db: db.carts.delete_many({"items.productId": P}),
    "delete one by elements": lambda db: db.carts.delete_one({"items.productId": PRODUCTS[1]}),
    "insert with two elements": lambda db: db.carts.insert_one(
        {"_id": USERS[9], "userId": U, "items": [{"productId": P, "qty": 1}, {"productId": P, "qty": 2}]}
    ),
    "insert with values in an array": lambda db: db.carts.insert_one(
        {
            "_id": USERS[9],
            "userId": U,
            "state": "new",
            "total": 1,
            "least": 1,
            "at": AT,
            "address": {"street": "Pier", "city": "Oslo"},
            "tags": ["a"],
        }
    ),
    "insert with a field the model lacks": lambda db: db.notes.insert_one({"_id": 77, "title": "new", "from": "red"}),
    "unset what lies in no model": lambda db: db.carts.update_one({"_id": C}, {"$unset": {"address.city.name": 1}}),
    "set within a value": lambda db: db.carts.update_one({"_id": C}, {"$set": {"lost.one": 1, "total": 3}}),
    "a collation": lambda db: db.carts.update_many(
        {"state": "SHUT"}, {"$set": {"state": "gone"}}, collation={"locale": "en", "strength": 2}
    ),
    "bulk of several kinds": lambda db: db.carts.bulk_write(
        [
            UpdateOne({"userId": U}, {"$inc": {"items.0.qty": 1}}),
            DeleteOne({"userId": USERS[2]}),
            InsertOne({"_id": USERS[9], "userId": U}),
        ]
    ),
}
"""Writes that SQL says only nearly, with a note, or not at all."""


@pytest.fixture(scope="module")
def design(mongod: Server, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Proposal]:
    """How the documents are stored, as nestling finds it."""
    database = mongo_client["write_meaning"]
    _fill(database)
    yield pipeline.in_place(f"{mongod.uri.partition('?')[0]}write_meaning?{mongod.uri.partition('?')[2]}").in_place
    mongo_client.drop_database("write_meaning")


def _fill(database: Db) -> None:
    for name, each in documents().items():
        database[name].delete_many({})
        database[name].insert_many(each)


@dataclass(frozen=True, slots=True)
class _Done:
    said: CapturedWorkload
    native: object
    by_sql: object


def _done(write: Write, design: Proposal, mongod: Server, database: Db, path: Path) -> _Done:
    """The write done natively on a fresh database, then its SQL on it, filled again."""
    _fill(database)
    with (
        Recorder(path, samples=True) as recorder,
        MongoClient[dict[str, Any]](mongod.uri, event_listeners=[recorder]) as client,
    ):
        write(client[database.name])
        said = pipeline.captured_workload(recorder.capture(), design.design, design.statistics)
    native = _documents(database)
    _fill(database)
    if not _is_told(said):
        store = Store(design, database)
        for each in said.statements:
            store.execute(each.sql, **dict(each.samples))
    return _Done(said, native, _documents(database))


def _is_told(said: CapturedWorkload) -> bool:
    return bool(said.gaps or said.left_out) or any(each.notes for each in said.statements)


def _documents(database: Db) -> object:
    return {name: [_plain(each) for each in database[name].find().sort("_id")] for name in documents()}


def _plain(found: object) -> object:
    """A document without what is no part of the model: nulls and what is empty beside what is missing, and orders of arrays."""
    if isinstance(found, dict):
        inner = {name: _plain(each) for name, each in found.items()}
        return {name: each for name, each in sorted(inner.items()) if each not in (None, [], {})}
    return sorted(map(_plain, found), key=repr) if isinstance(found, list) else found


def _texts(said: CapturedWorkload) -> list[str]:
    return [*(each.sql for each in said.statements), *map(str, said.gaps), *said.left_out]


@pytest.mark.one_in(7)
@pytest.mark.parametrize("name", EXACT)
def test_said_exactly(name: str, design: Proposal, mongod: Server, database: Db, tmp_path: Path) -> None:
    """SQL that says what the command does carries no note, and leaves the same documents."""
    done = _done(EXACT[name], design, mongod, database, tmp_path / "write.json")
    assert not _is_told(done.said), [
        *_texts(done.said),
        *(note for each in done.said.statements for note in each.notes),
    ]
    assert done.by_sql == done.native, _texts(done.said)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", OTHERS)
def test_no_difference_is_silent(name: str, design: Proposal, mongod: Server, database: Db, tmp_path: Path) -> None:
    """SQL that leaves other documents than the command carries a note, or the command is a gap."""
    done = _done(OTHERS[name], design, mongod, database, tmp_path / "write.json")
    assert _is_told(done.said) or done.by_sql == done.native, _texts(done.said)


def test_a_value_of_an_array_is_inserted(design: Proposal, mongod: Server, database: Db, tmp_path: Path) -> None:
    """A row for the array's value holds it."""
    done = _done(OTHERS["insert with values in an array"], design, mongod, database, tmp_path / "write.json")
    (tag,) = [each for each in done.said.statements if each.sql.startswith("INSERT INTO tags")]
    assert tag.sql == "INSERT INTO tags (cart_id, tag) VALUES (:cart_id, :tag)"
    assert dict(tag.samples)["tag"] == "a"
