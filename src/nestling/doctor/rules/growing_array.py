"""Arrays that have grown since an earlier look, and when they will be too long.

Why: what hurts is not an array's length but that it grows: the day it is too long can be foreseen.

Example: last month `log` held 80 entries on average, today 110.

Remedy: bound it before it is too long – `$push` with `$slice`, a bucket per day, or a collection of its own.

Ignore when: the documents are young and the arrays reach a natural end. Needs `--since` a facts file that is at
least an hour older.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.growth import days_between, growing, span, tells_growth
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.ir.facts import CollectionFacts, PathFacts
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.quantity_words import count, counted

RULE = Rule(
    "Growing array",
    Severity.WARNING,
    (
        Threshold("share", "growth of the mean length since the earlier facts", "%", {"nestling": 5}),
        Threshold("length", "mean length below which growth does not matter", "elements", {"nestling": 5}),
        Threshold(
            "bound", "length that must not be reached", "elements", {"sources": 200, "atlas": 10_000, "compass": 250}
        ),
    ),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Arrays longer on average than they were."""
    if seen.earlier is None or not tells_growth(seen.earlier, seen.facts):
        return
    for collection, then in growing(seen.facts, seen.earlier):
        for path in collection.paths:
            before = then.path(*path.steps)
            if before is not None and not collection.spatial(path):
                yield from _finding(seen, collection, path, before)


def _finding(seen: RuleInput, collection: CollectionFacts, path: PathFacts, before: PathFacts) -> Iterator[Finding]:
    if path.lengths is None or before.lengths is None or seen.earlier is None:
        return
    now, then = path.lengths.mean, before.lengths.mean
    if now < seen.limits["length"].value or 100 * (now - then) <= seen.limits["share"].value * then:
        return
    days = days_between(seen.earlier, seen.facts)
    per_day = (now - then) / days
    left = max(seen.limits["bound"].value - now, 0) / per_day
    yield seen.finding(
        collection,
        path.text,
        f"the mean length rose from {count(then)} to {count(now)} in {span(days)}",
        number=100 * (now - then) / max(then, 1e-9),
        limit="share",
        cost=f"at {counted(per_day, 'element')} a day it reaches {count(seen.limits['bound'].value)} in {span(left)}",
        remedy="Bound it now: `$push` with `$slice`, a bucket for each period, or a collection of its own.",
        evidence={"earlier": then, "now": now, "days": days, "days_left": left},
        confidence=Confidence.LIKELY,
    )
