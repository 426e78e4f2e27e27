"""A live database's `_id` stays what it is, whatever its values are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from bson import ObjectId
from pymongo.database import Database

from nestling.common.server import Server
from nestling.ir.proposal import OPTIMAL
from nestling.pipeline import design, in_place, redesign
from nestling.sources.mongo import LiveDatabase
from nestling.sources.statements import parse_workload

ASKED = "-- name: s, rate: 5/s\nSELECT name FROM users WHERE at = 5"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("odd", [{"a": 1}, "text", 7, 2.5])
def test_one_key_of_another_kind_changes_no_other(
    mongod: Server, database: Database[dict[str, Any]], odd: object
) -> None:
    """Documents have the `_id` they had, in what is designed anew and in what changes today's design."""
    database.users.insert_many({"_id": ObjectId(), "name": f"user {n}", "at": n % 90} for n in range(900))
    database.users.insert_one({"_id": odd, "name": "odd", "at": 1})
    found = in_place(mongod.uri.replace("/?", f"/{database.name}?"))
    workload, _ = parse_workload(ASKED, found.reading.model, "sqlite", "w.sql")
    reading = replace(found.reading, workload=workload)
    changed = redesign(LiveDatabase(reading, found.in_place), OPTIMAL)
    for each in (found.in_place, changed.proposal, design(reading), design(reading, "normalized")):
        (users,) = (one for one in each.design.collections if one.name == "users")
        assert users.id == ("_id",)
    assert len(changed.changes) == 1
