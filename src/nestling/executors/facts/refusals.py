"""How many documents a validator would refuse today."""

from __future__ import annotations

from dataclasses import replace

from bson import json_util
from pymongo.database import Database

from nestling.executors.facts.drawing import MOST_DRAWN, drawn
from nestling.executors.facts.permitted import Asking, FoundDocument
from nestling.ir.facts import CollectionFacts

COUNTED_UP_TO = 200_000
"""Documents of a collection that are all checked; of more, `MOST_DRAWN`."""


def with_refusals(collection: CollectionFacts, database: Database[FoundDocument], asking: Asking) -> CollectionFacts:
    """The collection, its validator held against its documents."""
    validator, storage = collection.validator, collection.storage
    if validator is None or storage is None:
        return collection
    rules = json_util.loads(validator.text)
    everything = storage.documents <= COUNTED_UP_TO
    some = [] if everything else drawn(database, collection, MOST_DRAWN, asking)
    what = f"the documents of {collection.namespace} that its validator would refuse"
    pipeline: list[FoundDocument] = [*some, {"$match": {"$nor": [rules]}}, {"$count": "refused"}]
    limit = asking.milliseconds()
    rows: list[FoundDocument] | None = asking.ask(
        what, lambda: list(database[collection.name].aggregate(pipeline, maxTimeMS=limit)), None
    )
    if rows is None:
        return collection
    refused = int(rows[0]["refused"]) if rows else 0
    checked = storage.documents if everything else MOST_DRAWN
    return replace(collection, validator=replace(validator, checked=checked, refused=refused))
