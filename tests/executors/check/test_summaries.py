"""Buckets: what is summed up of their events, where it says something else, null, or nothing."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo import MongoClient

from nestling.ir.design import Design
from nestling.ir.drift import DriftKind
from nestling.ir.model import Model
from nestling.ir.primitives import Bucket, Collection, Document, Summary
from nestling.ir.rows import AggregateKind
from tests.executors.check.loaded import checked, loaded
from tests.generators.worlds import World
from tests.planner.homes.home_cases import entity

SUMMARY = (Summary("most", AggregateKind.MAX, "value"), Summary("values", AggregateKind.COUNT, "value"))
BUCKETS = Collection(
    "readings", Document("reading"), bucket=Bucket(("sensor",), "events", 3, summary=SUMMARY)
)  # one of its two buckets has no value
DESIGN = Design(Model("m", (entity("reading", "id:integer! sensor! value:integer", "id"),)), (BUCKETS,))
ROWS: dict[str, list[tuple[object, ...]]] = {
    "reading": [(1, "a", 5), (2, "a", 7), (3, "a", None), (4, "b", None)],
}


@pytest.mark.parametrize("change", [{"$set": {"most": None, "values": None}}, {"$unset": {"most": "", "count": ""}}])
def test_what_is_null_or_missing_is_summed_up_anew(mongo_client: MongoClient[dict[str, Any]], change: Any) -> None:
    """Also where it must be missing: afterwards all is as loaded."""
    with loaded(mongo_client, World(DESIGN.model, ROWS, frozenset()), DESIGN) as (proposal, database):
        readings, before = database["readings"], [*database["readings"].find()]
        assert checked(proposal, database).clean
        readings.update_many({}, change)
        report = checked(proposal, database, repair=True)
        assert {each.kind for each in report.findings} == {DriftKind.SUMMARY}
        assert report.clean
        assert [*readings.find()] == before
