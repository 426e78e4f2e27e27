"""Counts dangling references by their holders: one aggregation per reference, over a sample of large collections."""

from __future__ import annotations

from dataclasses import replace

from pymongo.database import Database

from nestling.executors.facts.drawing import MOST_DRAWN, drawn
from nestling.executors.facts.permitted import Asking, FoundDocument
from nestling.executors.facts.references import shown_alone, unwound
from nestling.ir.facts import CollectionFacts, ReferenceFacts, field_path

COUNTED_UP_TO = 50_000
"""Documents of a collection whose references are all followed; of more, `MOST_DRAWN`."""
MOST_ROWS = 200_000
"""References followed at most: a document holds many of them in an array."""
SEARCHED_UP_TO = 10_000
"""Documents of a target that may be searched without an index."""
TIME_SHARE = 1 / 3
"""The share of the time left that one reference may take."""


def with_dangling(
    database: Database[FoundDocument],
    reference: ReferenceFacts,
    holder: CollectionFacts,
    target: CollectionFacts,
    asking: Asking,
) -> ReferenceFacts:
    """The reference with how many are held and how many lead to nothing; unchanged where counting would take too long."""
    if holder.storage is None or not _is_quick(target, reference.target_field):
        return reference
    field = field_path(reference.steps)
    whole = holder.storage.documents <= COUNTED_UP_TO
    lookup = {"from": target.name, "localField": "_id", "foreignField": reference.target_field, "as": "found"}
    found = {"$gt": [{"$size": "$found"}, 0]}
    pipeline: list[FoundDocument] = [
        *([] if whole else drawn(database, holder, MOST_DRAWN, asking)),
        {"$project": shown_alone(field)},
        *unwound(reference.steps),
        {"$match": {field: {"$ne": None, "$not": {"$type": ["object", "array"]}}}},
        {"$limit": MOST_ROWS},
        {"$group": {"_id": f"${field}", "held": {"$sum": 1}}},
        {"$lookup": lookup},
        {"$project": {"held": 1, "dangling": {"$cond": [found, 0, "$held"]}}},
        {"$group": {"_id": None, "held": {"$sum": "$held"}, "dangling": {"$sum": "$dangling"}}},
    ]
    what = f"how many {holder.namespace}.{field} refer to nothing"
    limited = asking.within(asking.seconds_left() * TIME_SHARE)
    rows = limited.aggregate(database, holder.name, what, pipeline, reference.collation)
    if not rows:
        return reference
    held, dangling = int(rows[0]["held"]), int(rows[0]["dangling"])
    return replace(reference, held=held, dangling=dangling, whole=whole and held < MOST_ROWS)


def _is_quick(target: CollectionFacts, field: str) -> bool:
    """Whether one value is found at once."""
    indexed = any(i.keys[0][0] == field and not (i.partial or i.sparse or i.hidden) for i in target.indexes)
    is_small = target.storage is not None and target.storage.documents <= SEARCHED_UP_TO
    return field == "_id" or indexed or is_small
