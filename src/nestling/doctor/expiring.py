"""The effect of a TTL index once a field's values are dates: MongoDB deletes the documents that are too old.

No command of a remedy may cause deletions, so commands that make dates are checked here first.
"""

from __future__ import annotations

from nestling.ir.facts import CollectionFacts, IndexFacts
from nestling.ir.quantity_words import agreeing, count


def ttl_index(collection: CollectionFacts, field: str) -> IndexFacts | None:
    """The TTL index on a field, or None."""
    return next((each for each in collection.indexes if each.expires_by == field), None)


def has_outdated(collection: CollectionFacts, field: str) -> bool:
    """Whether texts of the field, once they are dates, may be older than its TTL index allows."""
    index = ttl_index(collection, field)
    return index is not None and index.outdated_texts != 0


def unless_outdated(collection: CollectionFacts, field: str, made: object) -> object:
    """An expression for the date `made` of a field's value; for that value where its TTL index would delete the document."""
    index = ttl_index(collection, field)
    if index is None:
        return made
    oldest = {"$subtract": ["$$NOW", round(1000 * (index.ttl_seconds or 0.0))]}
    chosen = {"$cond": [{"$gt": ["$$date", oldest]}, "$$date", f"${field}"]}
    return {"$let": {"vars": {"date": made}, "in": chosen}}


def outdated_first(collection: CollectionFacts, field: str) -> str:
    """A warning before texts of the field become dates; "" if nothing would be deleted."""
    index = ttl_index(collection, field)
    if index is None or index.outdated_texts == 0:
        return ""
    times = index.outdated_texts
    them = "Some of these documents may be" if times is None else f"{count(times)} of these documents {agreeing(times)}"
    return (
        f"{them} older than the TTL index `{index.name}` allows: once their values are dates, MongoDB deletes them"
        " within a minute. Drop the index or set other dates first; the command leaves such values as they are. "
    )


def dates_come(collection: CollectionFacts, field: str) -> str:
    """A warning before values from elsewhere are put into the field, without a command; "" without a TTL index."""
    index = ttl_index(collection, field)
    if index is None:
        return ""
    return (
        f"`{field}` has the TTL index `{index.name}`: MongoDB deletes a document within a minute once its date is"
        " older than the index allows. So there is no command that writes the field: check the dates first. "
    )
