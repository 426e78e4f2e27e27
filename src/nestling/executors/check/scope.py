"""Which documents of a collection are compared: all, walked in the order of `_id`; some by chance; or those with given ids."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from bson.max_key import MaxKey
from bson.min_key import MinKey
from pymongo.collection import Collection

from nestling.executors.check.pace import CommandPace

ScopeStage: TypeAlias = Mapping[str, Any]
IDS_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Range:
    """Documents to look at with one command: the stages that choose them, the `_id`s they come after and end with.

    `upto` is `MaxKey` for the last ones of all. `documents` is how many they are, None where that is not known.
    """

    stages: tuple[ScopeStage, ...]
    after: object = None
    upto: object = None
    documents: int | None = None

    @property
    def is_last(self) -> bool:
        """Whether no range follows."""
        return isinstance(self.upto, MaxKey)


def next_range(collection: Collection[Any], after: object, end: object, pace: CommandPace, seconds: float) -> Range:
    """The documents after an `_id` (`MinKey`: from the beginning on) up to another, whatever types the ids are of."""
    within = _between(after, end)
    if 0 < collection.estimated_document_count() <= pace.documents:
        return Range(({"$match": within},) if within else (), after, end)
    found = collection.find(within, {"_id": 1}, sort=[("_id", 1)], skip=pace.documents - 1, limit=1)
    last = next(iter(found.max_time_ms(math.ceil(seconds * 1000))), None)
    upto, documents = (end, None) if last is None else (last["_id"], pace.documents)
    bounds = _between(after, upto)
    return Range(({"$match": bounds},) if bounds else (), after, upto, documents)


def _between(after: object, upto: object) -> dict[str, Any]:
    """`$expr`, unlike the query operators, compares values of all types."""
    bounds = [] if isinstance(after, MinKey) else [{"$gt": ["$_id", {"$literal": after}]}]
    bounds += [] if isinstance(upto, MaxKey) else [{"$lte": ["$_id", {"$literal": upto}]}]
    return {"$expr": {"$and": bounds}} if bounds else {}


def with_ids(ids: Sequence[object]) -> Iterator[Range]:
    """The documents with these ids, so many at a time."""
    for start in range(0, len(ids), IDS_AT_ONCE):
        some = list(ids[start : start + IDS_AT_ONCE])
        yield Range(({"$match": {"_id": {"$in": some}}},), documents=len(some))


def by_chance(collection: Collection[Any], sample: float) -> Range:
    """A random range of so many documents, or of this share of them if `sample` is below 1."""
    there = collection.estimated_document_count()
    wanted = max(1, math.ceil(there * sample) if sample < 1 else int(sample))
    return Range(({"$sample": {"size": wanted}},) if wanted < there else (), documents=min(wanted, there))
