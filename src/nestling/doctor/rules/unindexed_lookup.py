"""Joins on a field without an index.

Why: for each row the whole joined collection is read – or hashed, at best. That is fast with ten documents, and a disaster with
a million.

Example: `{$lookup: {from: "reviews", foreignField: "product_id", …}}` and no index on `reviews.product_id`.

Remedy: an index on the foreign field. For a `$lookup` with `let` this is the field that its pipeline compares with a variable
(`{$expr: {$eq: ["$product_id", "$$product"]}}`).

Ignore when: the joined collection will always have only a handful of documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.doctor.commands import create_index
from nestling.doctor.examined import accounts_for, finds_joined
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.ir.facts import CollectionFacts, JoinFacts, StatementFacts
from nestling.ir.finding import Finding, Severity
from nestling.ir.paths.work import Work
from nestling.ir.quantity_words import counted, duration, size

RULE = Rule(
    "Unindexed $lookup",
    Severity.WARNING,
    (Threshold("documents", "documents of the collection joined", "documents", {"nestling": 100, "indexwright": 0}),),
)


_Join = tuple[str, JoinFacts]
"""A join, and the database it is in."""


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Joins of captured statements and views whose foreign field no index begins with."""
    for (database, join), (joining, statements) in sorted(_joins(seen).items(), key=lambda each: _place(*each[0])):
        target = seen.facts.collection(database, join.collection)
        if target is None or not target.holds_documents or target.storage is None or finds_joined(target, join):
            continue
        if target.storage.documents > seen.limits["documents"].value:
            yield _finding(seen, target, join.foreign, joining, [each for each in statements if _is_slow(seen, each)])


def _place(database: str, join: JoinFacts) -> tuple[str, str, str, tuple[str, ...]]:
    return database, join.collection, join.foreign, join.also


def _joins(seen: RuleInput) -> dict[_Join, tuple[list[str], list[StatementFacts]]]:
    """Who joins a field of a collection, and other fields with it: in words, and the statements among them."""
    found: dict[_Join, tuple[list[str], list[StatementFacts]]] = {}
    for view in seen.facts.collections:
        for join in view.joins:
            found.setdefault((view.database, replace(join, local="")), ([], []))[0].append(f"view {view.name}")
    for statement in seen.facts.statements:
        for join in statement.joins:
            words, statements = found.setdefault((statement.database, replace(join, local="")), ([], []))
            words.append(f"{statement.operation} on {statement.collection} ({counted(statement.count, 'time')})")
            statements.append(statement)
    return {key: each for key, each in found.items() if key[1].foreign}


def _is_slow(seen: RuleInput, statement: StatementFacts) -> bool:
    """Whether what a statement joins, not its own collection, accounts for most of what it examines."""
    target = seen.facts.collection(statement.database, statement.collection)
    return target is not None and not statement.by_client and not accounts_for(seen.facts, target, statement)


def _finding(
    seen: RuleInput, target: CollectionFacts, field: str, joining: list[str], slow: list[StatementFacts]
) -> Finding:
    storage = target.storage
    assert storage is not None
    times, seconds = sum(each.count for each in slow), sum(each.seconds for each in slow)
    took = f"; {duration(seconds)} of server time in the capture" if slow else ""
    return seen.finding(
        target,
        field,
        f"joined without an index by {'; '.join(sorted(joining)[:3])}",
        number=storage.documents,
        limit="documents",
        cost=f"{counted(storage.documents, 'document')} ({size(storage.data_bytes)}) read for each row joined{took}",
        remedy="Create an index on the foreign field.",
        commands=(create_index(target.database, target.name, [(field, 1)]),),
        index=[(field, 1)],
        evidence={"examined": sum(each.documents_examined for each in slow), "seconds": seconds} if slow else {},
        work=Work(scanned=storage.documents, read_bytes=storage.data_bytes),
        mean_seconds=seconds / times if times else 0.0,
    )
