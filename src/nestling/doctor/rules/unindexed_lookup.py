"""Joins on a field without an index.

Why: for each row the joined collection is read whole – or hashed whole, at best. It is quick on ten documents, and a
fire on a million.

Example: `{$lookup: {from: "reviews", foreignField: "product_id", …}}` and no index on `reviews.product_id`.

Remedy: an index on the foreign field. That of a `$lookup` with `let` is the one its pipeline compares with a variable
(`{$expr: {$eq: ["$product_id", "$$product"]}}`).

Ignore when: the joined collection has a handful of documents for ever.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.words import create_index
from nestling.ir.facts import CollectionFacts
from nestling.ir.finding import Finding, Severity
from nestling.ir.paths.work import Work
from nestling.ir.quantity_words import counted, size

RULE = Rule(
    "Unindexed $lookup",
    Severity.WARNING,
    (Threshold("documents", "documents of the collection joined", "documents", {"nestling": 100, "indexwright": 0}),),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Joins of captured statements and views whose foreign field no index begins with."""
    for (database, name, field, also), joining in sorted(_joins(seen).items()):
        target = seen.facts.collection(database, name)
        if target is None or not target.holds_documents or target.storage is None:
            continue
        fields = {field, *also}
        is_indexed = "_id" in fields or any(index.keys[0][0] in fields and not index.hidden for index in target.indexes)
        if not is_indexed and target.storage.documents > seen.limits["documents"].value:
            yield _finding(seen, target, field, joining)


def _joins(seen: RuleInput) -> dict[tuple[str, str, str, tuple[str, ...]], list[str]]:
    """Who joins a field of a collection, and other fields with it."""
    found: dict[tuple[str, str, str, tuple[str, ...]], list[str]] = {}
    for view in seen.facts.collections:
        for join in view.joins:
            found.setdefault((view.database, join.collection, join.foreign, join.also), []).append(f"view {view.name}")
    for statement in seen.facts.statements:
        for join in statement.joins:
            who = f"{statement.operation} on {statement.collection} ({counted(statement.count, 'time')})"
            found.setdefault((statement.database, join.collection, join.foreign, join.also), []).append(who)
    return {key: who for key, who in found.items() if key[2]}


def _finding(seen: RuleInput, target: CollectionFacts, field: str, joining: list[str]) -> Finding:
    storage = target.storage
    assert storage is not None
    return seen.finding(
        target,
        field,
        f"joined without an index by {'; '.join(sorted(joining)[:3])}",
        number=storage.documents,
        limit="documents",
        cost=f"{counted(storage.documents, 'document')} ({size(storage.data_bytes)}) read for each row joined",
        remedy="Create an index on the foreign field.",
        commands=(create_index(target.database, target.name, [(field, 1)]),),
        index=[(field, 1)],
        work=Work(scanned=storage.documents, read_bytes=storage.data_bytes),
    )
