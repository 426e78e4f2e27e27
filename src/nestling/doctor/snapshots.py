"""Copies that are perhaps meant to stay as they were, such as the price of a thing when it was sold."""

from __future__ import annotations

import re

from nestling.ir.facts import ELEMENT, Collection, Copied, Path

MOSTLY = 0.9
"""The share of the documents that must have a date for it to be the date of what they tell."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_MONEY = frozenset(
    {*("price", "cost", "amount", "rate", "fee", "tax", "vat", "total", "discount"), *("charge", "salary", "wage")}
)
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


def is_snapshot(copied: Copied, holder: Collection | None) -> bool:
    """Whether a copy looks like what its source was at a moment: an amount of money, or part of a document of an event."""
    own = _words(copied.steps[-1])
    in_line = ELEMENT in copied.steps
    dates = _dates(holder, copied.steps) if holder is not None else []
    if own & _MONEY:
        return in_line or bool(dates)
    is_event = bool(_words(copied.collection) & _EVENTS)
    return bool(dates) and (is_event or any(not _words(path.steps[-1]) & _OF_THE_RECORD for path in dates))


def _dates(holder: Collection, steps: tuple[str, ...]) -> list[Path]:
    """The dates of the document, or of the element, that holds the copy."""
    return [
        path
        for path in holder.paths
        if path.steps[:-1] in ((), steps[:-1])
        and path.steps != steps
        and path.count("date") >= MOSTLY * max(path.parents, 1)
    ]


def _words(name: str) -> set[str]:
    """The words of a name, in the singular and the plural it has."""
    found = {word.lower() for word in _WORD.findall(name)}
    return (
        found | {word.removesuffix("s") for word in found} | {f"{word[:-3]}y" for word in found if word.endswith("ies")}
    )
