"""Values that differ by their type alone, and would be equal once they are converted, under a unique index."""

from __future__ import annotations

from collections.abc import Sequence

from nestling.doctor.commands import aggregate, here
from nestling.doctor.converting import converted
from nestling.doctor.words import listed
from nestling.ir.facts import ELEMENT, CollectionFacts, IndexFacts, PathFacts
from nestling.ir.facts.binary_kinds import OF_UUIDS


def unique_indexes(collection: CollectionFacts, path: PathFacts) -> list[IndexFacts]:
    """The unique indexes with a field that lies in no array among their keys."""
    if ELEMENT in path.steps:
        return []
    return [index for index in collection.indexes if index.unique and path.field in dict(index.keys)]


def equal_first(indexes: Sequence[IndexFacts]) -> str:
    """What to do before values are converted under unique indexes."""
    if not indexes:
        return ""
    names = listed(index.name for index in indexes)
    return (
        f"No two documents may be equal in {names}: the second command finds those that would be, such as with 3 and"
        ' "3". Correct them first, or the conversion stops at one of them. '
    )


def equal_afterwards(
    collection: CollectionFacts, path: PathFacts, indexes: Sequence[IndexFacts], into: str
) -> tuple[str, ...]:
    """The command that finds the documents which would be equal in a unique index; for the first of several."""
    if not indexes or into in OF_UUIDS:
        return ()
    keys = {
        str(place): converted(f"${field}", into, zoneless=False) if field == path.field else f"${field}"
        for place, (field, _) in enumerate(indexes[0].keys)
    }
    held = {"$match": {path.field: {"$exists": True, "$ne": None}}}
    group = {"$group": {"_id": keys, "documents": {"$push": "$_id"}, "times": {"$sum": 1}}}
    return (aggregate(here(collection), (held, group, {"$match": {"times": {"$gt": 1}}})),)
