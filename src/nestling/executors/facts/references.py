"""References found by their values: what of a path's values are ids of another collection.

Values are drawn, looked up on the server, counted and forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pymongo.database import Database

from nestling.executors.facts.asking import Asking, Document
from nestling.executors.facts.reference_names import Candidate, Target, candidates
from nestling.ir.facts import ELEMENT, Collection, Reference

VALUES = 300
"""Different values of a path that are looked up."""
DOCUMENTS = 1_000
"""Documents they are drawn from."""
LEAST_SHARE = 0.5
"""Values found, for a path whose name says nothing, to call it a reference …"""
LEAST_FOUND = 3
"""… and at least this many."""
MOST_TARGETS = 12
"""Collections looked into for one path."""


def references(database: Database[Document], collections: Sequence[Collection], asking: Asking) -> Iterator[Reference]:
    """The references between the collections of one database."""
    for candidate in candidates(collections):
        if asking.late:
            asking.skip(f"references in {database.name}", "the time budget was used up")
            return
        values = _values(database, candidate, asking)
        if values:
            yield from _reference(database, candidate, values, asking)


def _reference(
    database: Database[Document], candidate: Candidate, values: list[Any], asking: Asking
) -> Iterator[Reference]:
    """The best target, if one is good enough; an ObjectId called an id that is found nowhere refers to nothing."""
    best, most = None, 0
    for target in candidate.targets[:MOST_TARGETS]:
        found = _found(database, target, values, asking)
        if found > most:
            best, most = target, found
        if found == len(values):
            break
    where = (candidate.collection.database, candidate.collection.name, candidate.path.steps)
    if best is not None and (best.named or most >= max(LEAST_SHARE * len(values), LEAST_FOUND)):
        yield Reference(*where, best.collection, best.field, len(values), most, best.named)
    elif not most and candidate.is_object_id and candidate.is_id_named:
        named = next((target for target in candidate.targets if target.named), Target("", "", named=False))
        yield Reference(*where, named.collection, named.field, len(values), 0, named.named)


def drawn(collection: Collection) -> list[Document]:
    """The stages that draw some documents of a collection."""
    if collection.storage is not None and collection.storage.documents <= DOCUMENTS:
        return []
    return [{"$sample": {"size": DOCUMENTS}}]


def unwound(steps: tuple[str, ...]) -> list[Document]:
    """The stages after which a path has one value a row; every array on the path is unwound."""
    stages: list[Document] = []
    names: list[str] = []
    for step in steps:
        if step != ELEMENT:
            names.append(step)
        elif not stages or stages[-1] != {"$unwind": f"${'.'.join(names)}"}:
            stages.append({"$unwind": f"${'.'.join(names)}"})
    return stages


def _values(database: Database[Document], candidate: Candidate, asking: Asking) -> list[Any]:
    field, collection = candidate.path.field, candidate.collection
    pipeline = [
        *drawn(collection),
        {"$project": {"_id": 0, field: 1}},
        *unwound(candidate.path.steps),
        {"$limit": 20 * DOCUMENTS},
        {"$group": {"_id": f"${field}"}},
        {"$match": {"_id": {"$ne": None, "$not": {"$type": ["object", "array"]}}}},
        {"$sample": {"size": VALUES}},
        {"$sort": {"_id": 1}},
    ]
    what = f"the references of {collection.namespace}.{field}"
    return [row["_id"] for row in asking.aggregate(database, collection.name, what, pipeline)]


def _found(database: Database[Document], target: Target, values: list[Any], asking: Asking) -> int:
    """How many of the values are there."""
    field = target.field
    pipeline: list[Document] = [
        {"$match": {field: {"$in": values}}},
        {"$group": {"_id": f"${field}"}},
        {"$count": "found"},
    ]
    what = f"references to {database.name}.{target.collection}.{field}"
    rows = asking.aggregate(database, target.collection, what, pipeline)
    return min(int(rows[0]["found"]), len(values)) if rows else 0
