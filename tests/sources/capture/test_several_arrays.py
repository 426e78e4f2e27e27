"""A document with several arrays is read by several statements, which show all rows of all its levels between them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling import pipeline
from nestling.common.server import Server
from nestling.pipeline.reversing import in_place
from nestling.recorder import Recorder
from tests.sources.capture.shops import Shop

Document = dict[str, Any]
USERS = 30
LOOKUPS = (
    {"$lookup": {"from": "users", "localField": "user_id", "foreignField": "_id", "as": "u"}},
    {"$lookup": {"from": "products", "localField": "lines.product_id", "foreignField": "_id", "as": "ps"}},
)


@pytest.fixture(scope="module")
def orders(
    mongod: Server, mongo_client: MongoClient[Document], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shop]:
    """Orders with lines, and their users, of whom a third has no tags; the design read off them, and the rows in SQLite."""
    folder, database = tmp_path_factory.mktemp("orders"), mongo_client["captured_orders"]
    database.users.insert_many(
        [{"_id": f"user-{n}", "name": f"n{n}", "tags": ["a", "b"][: n % 3]} for n in range(USERS)]
    )
    database.products.insert_many([{"_id": f"prod-{n}", "title": f"t{n}"} for n in range(USERS)])
    database.orders.insert_many(
        [
            {
                "_id": n,
                "user_id": f"user-{n % USERS}",
                "lines": [{"no": each, "product_id": f"prod-{(n + each) % USERS}"} for each in range(3)],
            }
            for n in range(200)
        ]
    )
    proposal = in_place(mongod.uri.replace("/?", f"/{database.name}?")).in_place
    pipeline.unload(proposal, f"sqlite:///{folder}/shop.db", database)
    yield Shop(folder, proposal, database, mongod.uri)
    mongo_client.drop_database(database.name)


@pytest.mark.parametrize("number", range(3))
def test_a_document_that_is_found_is_shown_whatever_its_own_array_holds(number: int, orders: Shop) -> None:
    """A user without tags is in the statement about users, as in the pipeline's answer."""
    with orders.recorded(f"asked{number}.json") as (recorder, database):
        (found,) = database.orders.aggregate([{"$match": {"_id": number}}, *LOOKUPS])
    said = orders.said(recorder)
    assert [str(gap) for gap in said.gaps] == []
    whole, users, products = said.statements
    assert {row[:2] for row in orders.answer(whole)} == {(number, f"user-{number}")}
    (user,) = found["u"]
    assert set(orders.answer(users)) == {(user["_id"], user["name"], tag) for tag in user["tags"] or [None]}, users.sql
    assert set(orders.answer(products)) == {(each["_id"], each["title"]) for each in found["ps"]}


def test_a_document_of_many_arrays_is_read_whole(mongod: Server, database: Database[Document], tmp_path: Path) -> None:
    """A find by key of a document with ten arrays is one command, said by a statement for each of them; what follows it shows
    its own fields once.
    """
    arrays = [f"list{number}" for number in range(10)]
    things = ({"_id": n, "title": f"t{n}", **{name: [{"k": n, "v": name}] for name in arrays}} for n in range(40))
    database.things.insert_many(things)
    database.owners.insert_many({"_id": n, "thing_id": n % 40} for n in range(80))
    proposal = in_place(mongod.uri.replace("/?", f"/{database.name}?")).in_place
    with (
        Recorder(tmp_path / "asked.json", samples=True) as recorder,
        MongoClient[Document](mongod.uri, event_listeners=[recorder]) as client,
    ):
        there = client[database.name]
        there.things.find_one({"_id": {"$in": []}})
        for n in range(8):
            owner = there.owners.find_one({"_id": n}) or {}
            there.things.find_one({"_id": owner["thing_id"]})
        said = pipeline.captured_workload(recorder.capture(), proposal.design, proposal.statistics)
    assert not said.gaps
    assert len(said.statements) == len(arrays)
    (first,) = {each.asked_with for each in said.statements[1:]}
    assert [each.name for each in said.statements if "title" in each.sql.partition("\nFROM")[0]] == [first]
    assert ["finds nothing" in each for each in said.left_out] == [True]
