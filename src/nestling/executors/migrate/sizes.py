"""How many rows of each entity there are, and how large they are: one pass on the server for each entity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pymongo.database import Database

from nestling.common.connection import address, typed_errors
from nestling.ir.command import Aggregation


class Size(NamedTuple):
    """Rows of an entity and their BSON, one field for each value."""

    rows: int
    size_bytes: int


def sizes(database: Database[Any], homes: Mapping[str, Aggregation]) -> dict[str, Size]:
    """Measure what the home views yield."""
    total = {"$group": {"_id": None, "rows": {"$sum": 1}, "bytes": {"$sum": {"$bsonSize": "$$ROOT"}}}}
    found = {}
    with typed_errors(address(database)):
        for entity, home in homes.items():
            rows = database[home.collection].aggregate([*home.stages, total], allowDiskUse=True)
            said = next(iter(rows), {"rows": 0, "bytes": 0})
            found[entity] = Size(said["rows"], said["bytes"])
    return found
