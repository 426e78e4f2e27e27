"""Joins an application makes itself, as a recording tells them to the doctor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bson import ObjectId
from pymongo import MongoClient

from nestling.common.server import Server
from nestling.pipeline import capture, facts_with
from nestling.recorder import Recorder
from tests.doctor.looking import found, look


def test_a_query_for_the_ids_of_another_counts_as_a_join(mongod: Server, database: Any, tmp_path: Path) -> None:
    """Of 40 reads of orders 30 are followed by one of their lines, and 10 by one of people nobody's order names."""
    ids = [ObjectId() for _ in range(40)]
    database["orders"].insert_many([{"_id": each, "number": n} for n, each in enumerate(ids)])
    database["lines"].insert_many([{"order": each, "amount": n} for n, each in enumerate(ids)])
    database["people"].insert_many([{"name": f"name {n}"} for n in range(40)])
    with Recorder(tmp_path / "seen.json") as recorder:
        watched: MongoClient[dict[str, Any]] = MongoClient(mongod.uri, appname="app", event_listeners=[recorder])
        with watched as client:
            asked = client[database.name]
            for number in range(40):
                order = asked["orders"].find_one({"number": number})
                assert order is not None
                if number < 30:
                    list(asked["lines"].find({"order": order["_id"]}))
                else:
                    list(asked["people"].find({"name": f"name {number}"}))
    facts = facts_with(look(database), capture([str(tmp_path / "seen.json")]))
    (finding,) = [each for each in found(facts) if each.rule == "read-together"]
    assert finding.namespace == f"{database.name}.orders"
    assert (finding.number, "`lines`" in finding.remedy) == (75, True)


def test_equal_numbers_are_no_join_without_a_reference(mongod: Server, database: Any, tmp_path: Path) -> None:
    """Pages that read an order, and then the shelf whose number happens to be the order's quantity."""
    database["orders"].insert_many([{"_id": n, "quantity": n % 40} for n in range(200)])
    database["shelves"].insert_many([{"_id": n, "width": n} for n in range(40)])
    with Recorder(tmp_path / "seen.json") as recorder:
        watched: MongoClient[dict[str, Any]] = MongoClient(mongod.uri, appname="app", event_listeners=[recorder])
        with watched as client:
            for number in range(40):
                order = client[database.name]["orders"].find_one({"_id": number}) or {}
                client[database.name]["shelves"].find_one({"_id": order["quantity"]})
    facts = facts_with(look(database), capture([str(tmp_path / "seen.json")]))
    assert any(each.followed for each in facts.statements)
    assert not [each for each in found(facts) if each.rule == "read-together"]
