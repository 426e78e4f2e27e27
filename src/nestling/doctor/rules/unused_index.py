"""Indexes that no query uses.

Why: every insert, and every update of an indexed field, writes each index; its pages take cache from data that is read.

Example: `status_1`, 120 MB, 0 uses in 41 days.

Remedy: hide it; if nothing has become slow after a week, drop it.

Ignore when: it serves a monthly report. Never reported: `_id`, unique, sparse, partial, hidden and TTL indexes, shard keys, and
indexes whose counting began too recently.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.commands import hide_first
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.ir.facts import CollectionFacts, IndexFacts
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.paths.work import Work
from nestling.ir.quantity_words import counted, size
from nestling.ir.time_units import SECONDS_PER_DAY

RULE = Rule(
    "Unused index",
    Severity.WARNING,
    (Threshold("days", "days without a use", "days", {"atlas": 7, "azimutt": 10}),),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Indexes that may be dropped and have not been used for long enough."""
    for collection in seen.facts.of_documents():
        for index in collection.indexes:
            long_enough = _days(seen, index) >= seen.limits["days"].value
            if index.uses == 0 and not index.is_special and long_enough:
                yield _finding(seen, collection, index)


def _days(seen: RuleInput, index: IndexFacts) -> float:
    """Days over which uses were counted; a restart resets the count."""
    uptime = seen.facts.server.uptime_seconds
    seconds = index.since_seconds if uptime is None else min(index.since_seconds, uptime)
    return seconds / SECONDS_PER_DAY


def _finding(seen: RuleInput, collection: CollectionFacts, index: IndexFacts) -> Finding:
    server = seen.facts.server
    asked_all = server.sharded or index.nodes >= server.members
    nodes = (
        ""
        if asked_all
        else f"; {index.nodes} of {server.members} members were asked: ask the others before you drop it"
    )
    return seen.finding(
        collection,
        index.name,
        f"not used in {counted(_days(seen, index), 'day')}{nodes}",
        number=_days(seen, index),
        limit="days",
        cost=f"{size(index.size_bytes)} of disk and cache, and an index entry for every document written",
        remedy="Hide it; if nothing has become slow after a week, drop it.",
        commands=hide_first(collection, index.name),
        drops=(index.name,),
        evidence={"uses": 0, "bytes": index.size_bytes},
        confidence=Confidence.CERTAIN if asked_all else Confidence.POSSIBLE,
        work=Work(index_writes=1),
    )
