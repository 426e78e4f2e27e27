"""Facts of two days side by side."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from nestling.ir.facts import Collection, Facts

LEAST_DAYS = 1 / 24
"""Growth over less than an hour is taken for an hour's."""
_DAY_SECONDS = 86_400


def days_between(earlier: Facts, later: Facts) -> float:
    """Days from one look to the other."""
    seconds = (datetime.fromisoformat(later.taken) - datetime.fromisoformat(earlier.taken)).total_seconds()
    return max(seconds / _DAY_SECONDS, LEAST_DAYS)


def earlier_of(earlier: Facts | None, collection: Collection) -> Collection | None:
    """The collection as it was."""
    return earlier.collection(collection.database, collection.name) if earlier is not None else None


def growing(facts: Facts, earlier: Facts) -> Iterator[tuple[Collection, Collection]]:
    """The collections of documents that were there before: now and then."""
    for collection in facts.of_documents():
        then = earlier_of(earlier, collection)
        if then is not None:
            yield collection, then
