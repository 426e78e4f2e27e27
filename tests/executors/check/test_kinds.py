"""Several kinds of rows in one collection: the kind a document says it is, compared with its `_id`."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo import MongoClient

from nestling.ir.design import Design
from nestling.ir.drift import DriftKind
from nestling.ir.model import Model
from nestling.ir.primitives import Collection, Document, Member, Variant
from tests.executors.check.loaded import checked, loaded
from tests.generators.worlds import World
from tests.planner.homes.home_cases import LINE, ORDER

MODEL = Model("m", (ORDER, LINE))
ROWS: dict[str, list[tuple[object, ...]]] = {"order": [(1, "a"), (2, "b")], "line": [(1, 1, 5), (1, 2, 6)]}


@pytest.mark.parametrize("identity", [("id",), ()])
def test_a_wrong_kind_is_found_in_either(mongo_client: MongoClient[dict[str, Any]], identity: tuple[str, ...]) -> None:
    """Of the root's documents and of a member's, also where the root's ids mean nothing; what is right is not named."""
    variant = Variant("kind", "order", (Member("line", Document("line")),))
    design = Design(MODEL, (Collection("all", Document("order"), identity, variant=variant),))
    with loaded(mongo_client, World(MODEL, ROWS, frozenset()), design) as (proposal, database):
        assert checked(proposal, database).clean
        wrong = [database["all"].find_one({"kind": "order"}) or {}, database["all"].find_one({"kind": "line"}) or {}]
        for each in wrong:
            database["all"].update_one({"_id": each["_id"]}, {"$set": {"kind": "neither"}})
        report = checked(proposal, database, repair=True)
        found = [(each.kind, each.id, each.expected) for each in report.findings]
        assert found == [(DriftKind.DISCRIMINATOR, each["_id"], each["kind"]) for each in wrong]
        assert checked(proposal, database).clean
