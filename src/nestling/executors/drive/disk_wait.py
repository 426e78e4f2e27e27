"""How long a write waits until the server has it on disk: no work, so the cost model does not have it, but clients see it."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

from pymongo.database import Database
from pymongo.write_concern import WriteConcern

PAIRS = 40
_SCRATCH = "nestling disk wait"


def disk_wait(database: Database[Any]) -> float:
    """Seconds that a write takes longer than one acknowledged at once; both are asked in turn, in a scratch collection."""
    waited: Any = database[_SCRATCH]
    at_once = waited.with_options(write_concern=WriteConcern(w=1, j=False))
    try:
        waited.insert_one({"_id": 0, "number": 0})
        pairs = [(_seconds(lambda: _count(waited)), _seconds(lambda: _count(at_once))) for _ in range(PAIRS)]
    finally:
        waited.drop()
    return max(median(slow - fast for slow, fast in pairs), 0.0)


def _count(collection: Any) -> object:
    return collection.update_one({"_id": 0}, {"$inc": {"number": 1}})


def _seconds(run: Callable[[], object]) -> float:
    began = perf_counter()
    run()
    return perf_counter() - began
