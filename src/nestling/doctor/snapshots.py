"""Recognises copies that are probably meant to stay as they were, such as the price of a sold item."""

from __future__ import annotations

from nestling.doctor.name_kinds import MONEY, words_of
from nestling.ir.facts import ELEMENT, CollectionFacts, Copied, PathFacts

DATED_SHARE = 0.9
"""The share of documents that must have a date for it to be the date of an event."""
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
"""Words for documents that record a single event."""
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
"""Names of dates that nearly every document has: they belong to the record, not to its content."""


def is_snapshot(copied: Copied, holder: CollectionFacts | None) -> bool:
    """Whether a copy looks like a record of its source at some moment: an amount of money, or part of an event's document."""
    own = words_of(copied.steps[-1])
    in_line = ELEMENT in copied.steps
    dates = _dates(holder, copied.steps) if holder is not None else []
    if own & MONEY:
        return in_line or bool(dates)
    is_event = bool(words_of(copied.collection) & _EVENTS)
    return bool(dates) and (is_event or any(not words_of(path.steps[-1]) & _OF_THE_RECORD for path in dates))


def _dates(holder: CollectionFacts, steps: tuple[str, ...]) -> list[PathFacts]:
    """The dates of the document, or of the element, that holds the copy."""
    return [
        path
        for path in holder.paths
        if path.steps[:-1] in ((), steps[:-1])
        and path.steps != steps
        and path.count("date") >= DATED_SHARE * max(path.parents, 1)
    ]
