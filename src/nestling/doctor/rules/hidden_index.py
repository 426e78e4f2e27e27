"""Indexes that were hidden and never dropped.

Why: a hidden index answers no query but is still written: it costs as much as an unused one, and is easily forgotten.

Example: `status_1`, 120 MB, hidden 41 days ago.

Remedy: drop it, or unhide it if something has become slow meanwhile.

Ignore when: you are still watching whether something becomes slow. Never reported: hidden indexes that are unique, TTL indexes
or shard keys, as they do their work while they are hidden.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.commands import drop_index
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.ir.facts import CollectionFacts, IndexFacts
from nestling.ir.finding import Finding, Severity
from nestling.ir.paths.work import Work
from nestling.ir.quantity_words import counted, size
from nestling.ir.time_units import SECONDS_PER_DAY

RULE = Rule(
    "Hidden index",
    Severity.WARNING,
    (Threshold("days", "days that an index has been hidden", "days", {"nestling": 14}),),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Hidden indexes that are pure cost."""
    for collection in seen.facts.of_documents():
        for index in collection.indexes:
            works_hidden = index.unique or index.shard_key or index.ttl_seconds is not None
            if index.hidden and not works_hidden and _days(index) >= seen.limits["days"].value:
                yield _finding(seen, collection, index)


def _days(index: IndexFacts) -> float:
    """Days since it was hidden or since the server's last start: hiding an index resets its usage count."""
    return index.since_seconds / SECONDS_PER_DAY


def _finding(seen: RuleInput, collection: CollectionFacts, index: IndexFacts) -> Finding:
    return seen.finding(
        collection,
        index.name,
        f"hidden for at least {counted(_days(index), 'day')}",
        number=_days(index),
        limit="days",
        cost=f"{size(index.size_bytes)} of disk and cache, and an index entry for every document written",
        remedy="Drop it; if something has become slow since it was hidden, `unhideIndex` brings it back at once.",
        commands=(drop_index(collection, index.name),),
        drops=(index.name,),
        evidence={"bytes": index.size_bytes},
        work=Work(index_writes=1),
    )
