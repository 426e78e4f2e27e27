"""Copies that are perhaps meant to stay as they were, such as the price of a thing when it was sold."""

from __future__ import annotations

from nestling.doctor.name_kinds import MONEY, words
from nestling.ir.facts import ELEMENT, CollectionFacts, Copied, PathFacts

MOSTLY = 0.9
"""The share of the documents that must have a date for it to be the date of what they tell."""
_EVENTS = frozenset(
    {
        *(
            "order",
            "invoice",
            "sale",
            "purchase",
            "booking",
            "payment",
            "receipt",
            "transaction",
            "shipment",
            "delivery",
        ),
        *("bill", "quote", "refund", "event", "log", "audit", "history", "transfer", "contract"),
    }
)
"""Words for documents that tell what happened once."""
_OF_THE_RECORD = frozenset(
    {
        *(
            "create",
            "created",
            "creation",
            "update",
            "updated",
            "modify",
            "modified",
            "insert",
            "inserted",
            "change",
            "changed",
        ),
        *("last", "seen", "sync", "synced", "import", "imported", "expire", "expires", "until", "deleted"),
    }
)
"""Words of dates that nearly every document has: they are of the record, not of what it tells."""


def is_snapshot(copied: Copied, holder: CollectionFacts | None) -> bool:
    """Whether a copy looks like what its source was at a moment: an amount of money, or part of a document of an event."""
    own = words(copied.steps[-1])
    in_line = ELEMENT in copied.steps
    dates = _dates(holder, copied.steps) if holder is not None else []
    if own & MONEY:
        return in_line or bool(dates)
    is_event = bool(words(copied.collection) & _EVENTS)
    return bool(dates) and (is_event or any(not words(path.steps[-1]) & _OF_THE_RECORD for path in dates))


def _dates(holder: CollectionFacts, steps: tuple[str, ...]) -> list[PathFacts]:
    """The dates of the document, or of the element, that holds the copy."""
    return [
        path
        for path in holder.paths
        if path.steps[:-1] in ((), steps[:-1])
        and path.steps != steps
        and path.count("date") >= MOSTLY * max(path.parents, 1)
    ]
