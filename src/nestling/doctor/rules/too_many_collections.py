"""Databases with more collections than the server handles well.

Why: each collection and each index is a file of its own that the storage engine keeps open, checkpoints and caches.
Mostly they are data that became names: a collection for each customer or day.

Example: `events_2026_01_01`, `events_2026_01_02`, …

Remedy: one collection with the customer or the date as a field, first in its indexes; for measurements a time series
collection.

Ignore when: tenants must be kept apart by law, and their number is bounded.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.ir.facts import CollectionFacts, NamespaceKind
from nestling.ir.finding import Finding, Severity
from nestling.ir.quantity_words import count, counted

RULE = Rule(
    "Too many collections",
    Severity.WARNING,
    (Threshold("collections", "collections of a database", "collections", {"atlas": 100, "compass": 10_000}),),
)
LEAST_ALIKE = 3
_DIGITS = re.compile(r"\d+")


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Databases with too many collections."""
    for database in seen.facts.databases:
        mine = [each for each in seen.facts.collections if each.database == database]
        stored = [each for each in mine if each.kind not in (NamespaceKind.VIEW, NamespaceKind.SYSTEM)]
        if len(stored) > seen.limits["collections"].value:
            yield _finding(seen, database, stored)


def _finding(seen: RuleInput, database: str, stored: list[CollectionFacts]) -> Finding:
    families = Counter(_DIGITS.sub("#", each.name) for each in stored)
    name, alike = families.most_common(1)[0]
    family = f"; {count(alike)} of them are named like `{name}`" if alike >= LEAST_ALIKE else ""
    files = len(stored) + sum(len(each.indexes) for each in stored)
    return seen.finding(
        database,
        "",
        f"{counted(len(stored), 'collection')}{family}",
        number=len(stored),
        limit="collections",
        cost=f"{counted(files, 'file')} the storage engine keeps, and slower starts and checkpoints",
        remedy="Make what is in the names a field, in one collection; drop what is empty.",
        evidence={"files": files, "alike": alike},
    )
