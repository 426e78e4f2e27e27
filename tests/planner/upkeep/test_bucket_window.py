"""Windows of buckets: statements open the buckets that loading would have, and a check expects them so."""

# ruff: noqa: DTZ001 - a BSON date has no zone
from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from pymongo import MongoClient

from nestling import Store
from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.primitives import Bucket, BucketWindow, Collection, Document, WindowUnit
from tests.executors.check.loaded import checked, loaded
from tests.generators.worlds import World
from tests.planner.homes.home_cases import entity

READING = entity("reading", "id:integer! sensor! ts:timestamp", "id")
TIMES = [datetime(9999, 12, 31, 23, 59, 59), datetime(2024, 2, 29, 23, 59), datetime(1, 1, 1), None]


@pytest.mark.parametrize("unit", WindowUnit)
def test_inserted_events_lie_as_loaded_ones(mongo_client: MongoClient[dict[str, Any]], unit: WindowUnit) -> None:
    """Also of the last window there is, which has no end that Python could read, and without a time."""
    bucket = Bucket(("sensor",), "events", 3, BucketWindow("ts", unit))
    design = Design(Model("m", (READING,)), (Collection("readings", Document("reading"), bucket=bucket),))
    rows: list[tuple[object, ...]] = [(number, "a", time) for number, time in enumerate(TIMES)]
    with loaded(mongo_client, World(design.model, {"reading": rows}, frozenset()), design) as (proposal, database):
        before = [*database["readings"].find(sort=[("_id", 1)])]
        assert checked(proposal, database).clean
        database["readings"].delete_many({})
        store = Store(proposal, database)
        for row in rows:
            store.execute("INSERT INTO reading (id, sensor, ts) VALUES (?, ?, ?)", list(row))
        assert [*database["readings"].find(sort=[("_id", 1)])] == before
        assert checked(proposal, database).clean
