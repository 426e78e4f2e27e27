"""Which documents of a collection are compared: all, walked in the order of `_id`; some by chance; or those with given ids."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from bson.min_key import MinKey
from pymongo.collection import Collection

from nestling.executors.check.pace import Pace

Stage: TypeAlias = Mapping[str, Any]
IDS_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Range:
    """Documents to look at with one command: the stages that choose them, and the `_id` they end with (None: the last)."""

    stages: tuple[Stage, ...]
    upto: object = None
    is_last: bool = True
    documents: int | None = None


def next_range(collection: Collection[Any], after: object, pace: Pace, seconds: float) -> Range:
    """The documents after an `_id` (`MinKey`: from the beginning on), whatever types the ids are of."""
    beyond = {"$expr": {"$gt": ["$_id", {"$literal": after}]}} if not isinstance(after, MinKey) else {}
    found = collection.find(beyond, {"_id": 1}, sort=[("_id", 1)], skip=pace.documents - 1, limit=1)
    last = next(iter(found.max_time_ms(math.ceil(seconds * 1000))), None)
    if last is None:
        return Range(({"$match": beyond},) if beyond else ())
    upto = {"$expr": {"$lte": ["$_id", {"$literal": last["_id"]}]}}
    match = {"$and": [beyond, upto]} if beyond else upto
    return Range(({"$match": match},), last["_id"], is_last=False, documents=pace.documents)


def with_ids(ids: Sequence[object]) -> Iterator[Range]:
    """The documents with these ids, so many at a time."""
    for start in range(0, len(ids), IDS_AT_ONCE):
        some = list(ids[start : start + IDS_AT_ONCE])
        yield Range(({"$match": {"_id": {"$in": some}}},), documents=len(some))


def by_chance(collection: Collection[Any], sample: float) -> Range:
    """So many documents (a share of them, below 1) drawn by chance."""
    there = collection.estimated_document_count()
    wanted = max(1, math.ceil(there * sample) if sample < 1 else int(sample))
    return Range(({"$sample": {"size": wanted}},) if wanted < there else (), documents=min(wanted, there))
