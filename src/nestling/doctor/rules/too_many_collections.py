"""Databases with more collections than the server handles well, and collections named by a date or a number.

Why: each collection and each index is a file that the storage engine keeps open, checkpoints and caches. Mostly such names are
data: a collection for each customer or day. Such families are reported even while they are small, because they grow; and a
query over several days must name every one of them.

Example: `events_2026_01_01`, `events_2026_01_02`, …

Remedy: one collection with the customer or the date as a field, first in its indexes; for measurements a time series
collection.

Collections belong to a family if their names differ only in digits.

Ignore when: tenants must be kept apart by law, and their number is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.sibling_collections import siblings
from nestling.doctor.words import listed
from nestling.ir.facts import CollectionFacts, NamespaceKind
from nestling.ir.finding import Finding, Severity
from nestling.ir.quantity_words import count, counted

RULE = Rule(
    "Too many collections",
    Severity.WARNING,
    (
        Threshold("collections", "collections of a database", "collections", {"atlas": 100, "compass": 10_000}),
        Threshold("family", "collections whose names differ only in digits", "collections", {"nestling": 7}),
    ),
)
LEAST_ALIKE = 3


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Databases with too many collections, and families of them in the others."""
    for database in seen.facts.databases:
        mine = [each for each in seen.facts.collections if each.database == database]
        stored = [each for each in mine if each.kind not in (NamespaceKind.VIEW, NamespaceKind.SYSTEM)]
        families = {stem: members for (_, stem), members in siblings(stored).items()}
        if len(stored) > seen.limits["collections"].value:
            yield _finding(seen, database, stored, families)
            continue
        for stem, members in sorted(families.items()):
            if len(members) > seen.limits["family"].value:
                yield _family(seen, database, stem, members)


def _family(seen: RuleInput, database: str, stem: str, members: Sequence[CollectionFacts]) -> Finding:
    names = sorted(each.name for each in members)
    return seen.finding(
        database,
        stem,
        f"{counted(len(members), 'collection')} differ only in a date or a number: {listed(names, 3)}",
        number=len(members),
        limit="family",
        cost=f"a query over several must name each of them; the storage engine keeps {counted(_files(members), 'file')}",
        remedy="Use one collection, with what the names say in a field that comes first in its indexes; for"
        " measurements, a time series collection.",
        evidence={"files": _files(members), "alike": len(members)},
    )


def _files(stored: Sequence[CollectionFacts]) -> int:
    """One for each collection and each index."""
    return len(stored) + sum(len(each.indexes) for each in stored)


def _finding(
    seen: RuleInput, database: str, stored: list[CollectionFacts], families: Mapping[str, Sequence[CollectionFacts]]
) -> Finding:
    name, alike = max(((stem, len(members)) for stem, members in families.items()), key=lambda each: each[1])
    family = f"; {count(alike)} of them are named like `{name}`" if alike >= LEAST_ALIKE else ""
    files = _files(stored)
    return seen.finding(
        database,
        "",
        f"{counted(len(stored), 'collection')}{family}",
        number=len(stored),
        limit="collections",
        cost=f"the storage engine keeps {counted(files, 'file')}; starts and checkpoints are slower",
        remedy="Use one collection, with what the names say in a field; drop empty collections.",
        evidence={"files": files, "alike": alike},
    )
