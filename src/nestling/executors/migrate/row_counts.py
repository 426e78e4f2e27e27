"""Counts the rows of each entity, and their sizes: one pass on the server for each entity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pymongo.database import Database

from nestling.common.connection import address, typed_errors
from nestling.ir.paths.access_path import column_field
from nestling.ir.primitives import Bucket, WindowUnit
from nestling.ir.programs.command import Aggregation

_BEGINS = {
    WindowUnit.MINUTE: "%Y-%m-%dT%H:%M",
    WindowUnit.HOUR: "%Y-%m-%dT%H",
    WindowUnit.DAY: "%Y-%m-%d",
    WindowUnit.MONTH: "%Y-%m",
}
"""The common part of dates within one window."""


class Size(NamedTuple):
    """Rows of an entity and their BSON, one field for each value."""

    rows: int
    size_bytes: int


def sizes(database: Database[Any], homes: Mapping[str, Aggregation]) -> dict[str, Size]:
    """Measure the results of the home views."""
    total = {"$group": {"_id": None, "rows": {"$sum": 1}, "bytes": {"$sum": {"$bsonSize": "$$ROOT"}}}}
    found = {}
    with typed_errors(address(database)):
        for entity, home in homes.items():
            rows = database[home.collection].aggregate([*home.stages, total], allowDiskUse=True)
            said = next(iter(rows), {"rows": 0, "bytes": 0})
            found[entity] = Size(said["rows"], said["bytes"])
    return found


def buckets(database: Database[Any], home: Aggregation, bucket: Bucket) -> int:
    """How many documents the rows of a home view fill: pages of each owner's windows."""

    def field(attribute: str) -> str:
        return f"${column_field(home.columns.index(attribute))}"

    scope: dict[str, Any] = {str(number): field(name) for number, name in enumerate(bucket.by)}
    if bucket.window is not None:
        at = field(bucket.window.attribute)
        begins = {"$dateToString": {"date": at, "format": _BEGINS[bucket.window.unit]}}
        scope["window"] = {"$cond": [{"$eq": [{"$type": at}, "date"]}, begins, None]}
    pages = {"$ceil": {"$divide": ["$rows", bucket.limit]}}
    stages = [
        *home.stages,
        {"$group": {"_id": scope, "rows": {"$sum": 1}}},
        {"$group": {"_id": None, "documents": {"$sum": pages}}},
    ]
    with typed_errors(address(database)):
        found = database[home.collection].aggregate(stages, allowDiskUse=True)
        return int(next(iter(found), {"documents": 0})["documents"])
