"""Facts of two days side by side."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from nestling.ir.facts import CollectionFacts, Facts
from nestling.ir.quantity_words import counted
from nestling.ir.time_units import SECONDS_PER_DAY

LEAST_DAYS = 1 / 24
"""Days between two looks below which growth says nothing: an hour."""


def days_between(earlier: Facts, later: Facts) -> float:
    """Days from one look to the other; negative if the later one came first."""
    seconds = (datetime.fromisoformat(later.taken) - datetime.fromisoformat(earlier.taken)).total_seconds()
    return seconds / SECONDS_PER_DAY


def tells_growth(earlier: Facts | None, later: Facts) -> bool:
    """Whether there are earlier facts that are old enough to show daily growth."""
    return earlier is not None and days_between(earlier, later) >= LEAST_DAYS


def growth_notes(earlier: Facts | None, later: Facts) -> tuple[str, ...]:
    """A note if the earlier facts are too recent."""
    if earlier is None or tells_growth(earlier, later):
        return ()
    minutes = days_between(earlier, later) * SECONDS_PER_DAY / 60
    age = f"{counted(round(minutes), 'minute')} before" if minutes >= 0 else "after"
    return (f"growth is not reported: the facts of --since were taken {age} these; give facts at least an hour older",)


def span(days: float) -> str:
    """A duration in days, or in hours below two days."""
    return counted(days, "day") if days >= 2 else counted(round(days * 24, 1), "hour")


def earlier_of(earlier: Facts | None, collection: CollectionFacts) -> CollectionFacts | None:
    """The collection in the earlier facts."""
    return earlier.collection(collection.database, collection.name) if earlier is not None else None


def growing(facts: Facts, earlier: Facts) -> Iterator[tuple[CollectionFacts, CollectionFacts]]:
    """The collections of documents that were there before: now and then."""
    for collection in facts.of_documents():
        then = earlier_of(earlier, collection)
        if then is not None:
            yield collection, then
