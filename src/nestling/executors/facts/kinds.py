"""Kinds of documents in one collection: a field whose value decides which other fields a document has.

The names of kinds are the only values that facts hold: they belong to the schema, are few, and occur in many documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pymongo.database import Database

from nestling.executors.facts.permitted import Asking, FoundDocument
from nestling.executors.facts.shapes import shapes_of
from nestling.ir.facts import CollectionFacts, PathFacts
from nestling.ir.facts.nodes import kinds as types_of
from nestling.ir.facts.steps import is_plain
from nestling.ir.facts.structure import Kinds

MOST_KINDS = 24
LEAST_EACH = 3
"""Documents of a kind below which nothing is reported about it."""
NEARLY_ALL = 0.99
SOMETIMES = (0.02, 0.98)
"""Shares of documents that have a field between which it may belong to a kind."""
MOST_FIELDS = 100
_NAMES = ("type", "kind", "_t", "_type", "event", "category", "class", "discriminator", "entity", "doctype")


def kinds_of(database: Database[FoundDocument], collection: CollectionFacts, asking: Asking) -> Iterator[Kinds]:
    """The discriminating field, if there is one: every kind has fields of its own, in all of its documents and no others.

    Without such a field, the kinds that are distinguished by their fields alone.
    """
    documents = collection.sample.documents if collection.sample is not None else 0
    optional = [path for path in collection.top_level() if _is_optional(path, documents) and is_plain(path.steps)]
    if len(optional) < 2:
        return
    for path in sorted(filter(lambda path: _may_tell(path, documents), collection.top_level()), key=_rank):
        found = _kinds(database, collection, path, optional[:MOST_FIELDS], asking)
        if found is not None:
            yield found
            return
    if (unnamed := shapes_of(database, collection, optional, asking)) is not None:
        yield unnamed


def _is_optional(path: PathFacts, documents: int) -> bool:
    return SOMETIMES[0] * documents <= path.documents <= SOMETIMES[1] * documents


def _may_tell(path: PathFacts, documents: int) -> bool:
    few = path.distinct is not None and 2 <= path.distinct <= min(MOST_KINDS, documents / LEAST_EACH)
    return few and types_of(path) == {"string"} and path.documents == documents and is_plain(path.steps)


def _rank(path: PathFacts) -> tuple[bool, str]:
    return path.steps[-1].lower() not in _NAMES, path.steps[-1]


def _kinds(
    database: Database[FoundDocument],
    collection: CollectionFacts,
    path: PathFacts,
    optional: Sequence[PathFacts],
    asking: Asking,
) -> Kinds | None:
    has = {
        f"p{n}": {"$sum": {"$cond": [{"$eq": [{"$type": f"${each.field}"}, "missing"]}, 0, 1]}}
        for n, each in enumerate(optional)
    }
    group: dict[str, Any] = {"$group": {"_id": f"${path.field}", "n": {"$sum": 1}} | has}
    what = f"the kinds of {collection.namespace}"
    rows = asking.aggregate(database, collection.name, what, [group, {"$sort": {"_id": 1}}, {"$limit": MOST_KINDS + 1}])
    if not 2 <= len(rows) <= MOST_KINDS or any(
        row["n"] < LEAST_EACH or not isinstance(row["_id"], str) for row in rows
    ):
        return None
    own: dict[str, list[tuple[str, ...]]] = {row["_id"]: [] for row in rows}
    for n, each in enumerate(optional):
        having = [row for row in rows if row[f"p{n}"]]
        if len(having) == 1 and having[0][f"p{n}"] >= NEARLY_ALL * having[0]["n"]:
            own[having[0]["_id"]].append(each.steps)
    if sum(bool(columns) for columns in own.values()) < max(2, len(own) / 2):
        return None
    named = tuple((row["_id"], int(row["n"]), tuple(own[row["_id"]])) for row in rows)
    return Kinds(collection.database, collection.name, path.steps, named)
