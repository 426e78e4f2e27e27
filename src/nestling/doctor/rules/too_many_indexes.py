"""Collections with more indexes than writes can bear.

Why: each insert writes every index, and the query planner compares all that might serve a query.

Example: 34 indexes on a collection of events written 500 times a second.

Remedy: drop those that are unused or redundant, and merge those with the same beginning.

Ignore when: the collection is hardly ever written.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.commands import aggregate, here
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.ir.facts import CollectionFacts
from nestling.ir.finding import Finding, Severity
from nestling.ir.paths.work import Work
from nestling.ir.quantity_words import size

RULE = Rule(
    "Too many indexes",
    Severity.WARNING,
    (
        Threshold(
            "indexes",
            "indexes of a collection",
            "indexes",
            {"compass": 10, "atlas": 30, "indexwright": 20, "azimutt": 20},
        ),
    ),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Collections with too many indexes."""
    for collection in seen.facts.of_documents():
        if len(collection.indexes) > seen.limits["indexes"].value:
            yield _finding(seen, collection)


def _finding(seen: RuleInput, collection: CollectionFacts) -> Finding:
    number, total = len(collection.indexes), sum(index.size_bytes for index in collection.indexes)
    return seen.finding(
        collection,
        "",
        f"{number} indexes, {size(total)}",
        number=number,
        limit="indexes",
        cost=f"each insert writes at least {number} index entries",
        remedy="Drop what is unused or redundant, and merge those with the same beginning.",
        commands=(aggregate(here(collection), ({"$indexStats": {}}, {"$sort": {"accesses.ops": 1}})),),
        evidence={"bytes": total},
        work=Work(index_writes=number),
    )
