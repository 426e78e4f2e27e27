"""References that lead to any of several collections, such as the things that a comment or a notification may be about.

What is not found in the one collection is looked up in the others before it is called dangling.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from pymongo.database import Database

from nestling.executors.facts.drawing import MOST_DRAWN, drawn
from nestling.executors.facts.permitted import Asking, FoundDocument
from nestling.executors.facts.references import (
    HARDLY_ANY,
    LEAST_FOUND,
    LOOKED_UP_VALUES,
    MOST_TARGETS,
    are_targets_too,
    shown_alone,
    unwound,
)
from nestling.ir.facts import CollectionFacts, ReferenceFacts, field_path

_TELLING = ("objectId", "string", "binData")
"""Types of keys of which two collections have hardly any in common by chance."""
TIME_SHARE = 1 / 3
"""The share of the time left that one reference may take."""


def with_others(
    database: Database[FoundDocument],
    reference: ReferenceFacts,
    holder: CollectionFacts,
    collections: Sequence[CollectionFacts],
    asking: Asking,
) -> ReferenceFacts:
    """The reference with the other collections that hold most of what its target lacks; unchanged where none does.

    A collection that shares its keys with the target, such as the profiles of users, holds what was deleted there, and one that
    has few of the values is an archive of it: they are no other targets, but an archive is named.
    """
    path = holder.path(*reference.steps)
    is_lacking = reference.dangling or reference.resolved < reference.checked
    if path is None or not path.count(*_TELLING) or not is_lacking or reference.converted or asking.late:
        return reference
    limited = asking.within(asking.seconds_left() * TIME_SHARE)
    missing = _values(database, reference, holder, limited, is_there=False)
    if len(missing) < LEAST_FOUND:
        return reference
    there = _values(database, reference, holder, limited, is_there=True)
    found = dict(_others(database, reference, collections, missing, there, limited))
    elsewhere = min(sum(found.values()), len(missing))
    every = len(missing) + len(there)
    if not are_targets_too(elsewhere, len(missing), every):
        return replace(reference, archives=tuple(found.items()))
    resolved = elsewhere + len(there)
    return replace(reference, checked=every, resolved=resolved, held=0, dangling=0, others=tuple(found))


def _others(
    database: Database[FoundDocument],
    reference: ReferenceFacts,
    collections: Sequence[CollectionFacts],
    missing: Sequence[Any],
    there: Sequence[Any],
    asking: Asking,
) -> Iterator[tuple[str, int]]:
    """The largest other collections that hold missing values, but hardly any that the target has, and how many."""
    keyed = [each for each in collections if (key := each.path("_id")) is not None and key.count(*_TELLING)]
    keyed.sort(key=lambda each: -(each.storage.documents if each.storage is not None else 0))
    for other in [each for each in keyed if each.name != reference.target][:MOST_TARGETS]:
        found = _held(database, other, missing, asking)
        if found and _held(database, other, there, asking) <= HARDLY_ANY * len(there):
            yield other.name, found


def _values(
    database: Database[FoundDocument],
    reference: ReferenceFacts,
    holder: CollectionFacts,
    asking: Asking,
    *,
    is_there: bool,
) -> list[Any]:
    """Some different values of a reference that its target has, or lacks."""
    field = field_path(reference.steps)
    lookup = {"from": reference.target, "localField": "_id", "foreignField": reference.target_field, "as": "found"}
    pipeline: list[FoundDocument] = [
        *drawn(database, holder, MOST_DRAWN, asking),
        {"$project": shown_alone(field)},
        *unwound(reference.steps),
        {"$group": {"_id": f"${field}"}},
        {"$match": {"_id": {"$ne": None, "$not": {"$type": ["object", "array"]}}}},
        {"$lookup": lookup},
        {"$match": {"found": {"$ne": []} if is_there else []}},
        {"$limit": LOOKED_UP_VALUES},
        {"$project": {"_id": 1}},
    ]
    what = f"where else {holder.namespace}.{field} leads"
    return [row["_id"] for row in asking.aggregate(database, holder.name, what, pipeline, reference.collation)]


def _held(database: Database[FoundDocument], other: CollectionFacts, values: Sequence[Any], asking: Asking) -> int:
    """How many of the values are keys there."""
    pipeline: list[FoundDocument] = [{"$match": {"_id": {"$in": list(values)}}}, {"$count": "found"}]
    rows = asking.aggregate(database, other.name, f"references to {other.namespace}", pipeline) if values else []
    return int(rows[0]["found"]) if rows else 0
