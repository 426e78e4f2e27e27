"""Documents near 16 MiB, or growing towards it.

Why: MongoDB refuses a document over 16 MiB. The write that would exceed it fails, and so does every later one.

Example: the largest document has 14 MiB and gains 50 kB a day.

Remedy: split the document before it happens: its longest array into a collection, its blobs into GridFS.

Ignore when: never.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.commands import largest_documents
from nestling.doctor.growth import days_between, earlier_of, span, tells_growth
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.words import confidence
from nestling.ir.facts import CollectionFacts
from nestling.ir.finding import Finding, Severity
from nestling.ir.quantity_words import size
from nestling.ir.workload import DOCUMENT_BYTES

ERROR_SHARE, ERROR_DAYS = 0.75, 30
RULE = Rule(
    "Oversize risk",
    Severity.WARNING,
    (
        Threshold("bytes", "size of the largest document", "bytes", {"nestling": DOCUMENT_BYTES / 2}),
        Threshold("days", "days until 16 MiB at the growth seen", "days", {"nestling": 365}),
    ),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Collections whose largest document is half as large as MongoDB allows, or will reach the limit."""
    for collection in seen.facts.of_documents():
        if collection.sizes is None:
            continue
        days = _days_left(seen, collection)
        large = collection.sizes.max > seen.limits["bytes"].value
        if large or (days is not None and days <= seen.limits["days"].value):
            yield _finding(seen, collection, collection.sizes.max, days, large=large)


def _days_left(seen: RuleInput, collection: CollectionFacts) -> float | None:
    """Days until the largest document has 16 MiB; None if it does not grow."""
    then = earlier_of(seen.earlier, collection)
    if (
        seen.earlier is None
        or not tells_growth(seen.earlier, seen.facts)
        or then is None
        or then.sizes is None
        or collection.sizes is None
    ):
        return None
    growth = collection.sizes.max - then.sizes.max
    if growth <= 0:
        return None
    return (DOCUMENT_BYTES - collection.sizes.max) / growth * days_between(seen.earlier, seen.facts)


def _finding(
    seen: RuleInput, collection: CollectionFacts, largest: float, days: float | None, *, large: bool
) -> Finding:
    soon = largest > ERROR_SHARE * DOCUMENT_BYTES or (days is not None and days <= ERROR_DAYS)
    when = f"; at its present growth it reaches 16 MiB in {span(days)}" if days is not None else ""
    return seen.finding(
        collection,
        "",
        f"the largest document is {size(largest)}{when}",
        number=largest if large or days is None else days,
        limit="bytes" if large or days is None else "days",
        cost="writes that would exceed 16 MiB fail",
        remedy="Split it: move its longest array to a collection of its own, its blobs to GridFS.",
        commands=(largest_documents(collection),),
        evidence={"largest_bytes": largest} | ({} if days is None else {"days_left": days}),
        severity=Severity.ERROR if soon else None,
        confidence=confidence(collection),
    )
