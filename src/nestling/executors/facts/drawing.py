"""Chooses the documents of a large collection to read: the same on every run, as long as the collection does not change.

They are chosen by a hash of their `_id`, for which the server scans all `_id`s once. From then on they are read by `_id`. In
very large collections, and on servers without that hash, the server samples at random.
"""

from __future__ import annotations

from typing import Any

from pymongo.database import Database
from pymongo.errors import OperationFailure

from nestling.executors.facts.permitted import Asking, FoundDocument
from nestling.ir.facts import CollectionFacts

HASH_UP_TO = 500_000
"""Documents of a collection whose `_id`s are all hashed: half a second."""
MOST_DRAWN = 10_000
"""Documents of a collection that are drawn at most."""
SEARCHED_TIMES = 1.2
"""How many times the wanted number is searched, so that enough are found."""
HASH = {"$toHashedIndexKey": "$_id"}


def hashed_group(groups: int, seed: int) -> FoundDocument:
    """The condition that the documents in one of so many groups meet: the hash of their `_id` says in which they are."""
    chosen = seed % groups
    return {"$expr": {"$in": [{"$mod": [HASH, groups]}, [chosen, chosen - groups]]}}


def seeded(total: int, wanted: int, seed: int) -> list[FoundDocument]:
    """The stages that select so many of so many documents by a hash of `_id`."""
    return [{"$match": hashed_group(max(round(total / wanted), 1), seed)}, {"$limit": 2 * wanted}]


def drawn(
    database: Database[FoundDocument], collection: CollectionFacts, documents: int, asking: Asking
) -> list[FoundDocument]:
    """The stages that choose this many documents, at most `MOST_DRAWN`; none if the collection has no more."""
    storage = collection.storage
    if storage is not None and storage.documents <= documents:
        return []
    if storage is None or storage.documents > HASH_UP_TO:
        return [{"$sample": {"size": documents}}]
    if collection.namespace not in asking.drawn:
        asking.drawn[collection.namespace] = _chosen(database, collection, storage.documents, asking)
    chosen = asking.drawn[collection.namespace]
    if chosen is None:
        return [{"$sample": {"size": documents}}]
    return [{"$match": {"_id": {"$in": chosen[:documents]}}}]


def _chosen(
    database: Database[FoundDocument], collection: CollectionFacts, total: int, asking: Asking
) -> list[Any] | None:
    """The `_id`s of documents in the order of their hashes; None if the server cannot say."""
    pipeline: list[FoundDocument] = [
        {"$sort": {"_id": 1}},
        {"$match": hashed_group(max(int(total / SEARCHED_TIMES / MOST_DRAWN), 1), 0)},
        {"$project": {"_id": 1, "hash": HASH}},
    ]
    limit = asking.milliseconds()

    def choose() -> list[FoundDocument] | None:
        try:
            return list(database[collection.name].aggregate(pipeline, maxTimeMS=limit))
        except OperationFailure:
            return None

    found = asking.ask(f"which documents of {collection.namespace} to look at", choose, None)
    if found is None:
        return None
    return [each["_id"] for each in sorted(found, key=lambda each: int(each["hash"]))]
