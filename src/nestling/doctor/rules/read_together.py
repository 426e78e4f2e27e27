"""Collections that are read together and stored apart.

Why: data that most reads of a collection join belongs into its documents: one read instead of two, and one place to change
both.

Example: nine of ten reads of `orders` join `order_lines`, by a `$lookup` or by a second query for the ids of the first.

Remedy: embed it if it is bounded, copy the displayed fields if it is not. `nestling design` compares both with the cost for
writes.

Two queries, one after the other, are a join only if a reference leads from one collection to the other: small numbers in the
answer of the first are ids in many collections.

Ignore when: the other side is large, changes often, or is read on its own more often.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.words import share
from nestling.ir.facts import ReferenceFacts
from nestling.ir.facts.statement import StatementFacts
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.paths.work import Work
from nestling.ir.quantity_words import count, counted

RULE = Rule(
    "Read together, stored apart",
    Severity.WARNING,
    (
        Threshold("share", "reads of a collection that join the other", "%", {"nestling": 50}),
        Threshold("statements", "captured reads; with fewer, no share is reported", "statements", {"nestling": 20}),
    ),
)
READS = ("find", "aggregate", "count", "distinct")


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Pairs of collections that most reads of the first join."""
    reads = [each for each in seen.facts.statements if each.operation in READS]
    for database, name in sorted({(each.database, each.collection) for each in reads}):
        mine = [each for each in reads if (each.database, each.collection) == (database, name)]
        total = sum(each.count for each in mine)
        if total < seen.limits["statements"].value:
            continue
        asked_after = {other for each in mine for other, _ in each.followed if _refer(seen, database, name, other)}
        others = {join.collection for each in mine for join in each.joins} | asked_after
        for other in sorted(others):
            joined = sum(_joined(each, other) for each in mine)
            if 100 * joined > seen.limits["share"].value * total:
                yield _finding(seen, f"{database}.{name}", other, joined, total)


def _refer(seen: RuleInput, database: str, one: str, other: str) -> bool:
    """Whether references lead from one collection to the other, either way."""
    sure = (each for each in seen.facts.references if each.database == database and _is_sure(each))
    ends = {(each.collection, name) for each in sure for name in (each.target, *each.others)}
    return (one, other) in ends or (other, one) in ends


def _is_sure(reference: ReferenceFacts) -> bool:
    return bool(reference.resolved or reference.converted)


def _joined(statement: StatementFacts, other: str) -> int:
    """How often it joined another collection, by a `$lookup` or by a query there for ids in the answer."""
    if any(join.collection == other for join in statement.joins):
        return statement.count
    return min(dict(statement.followed).get(other, 0), statement.count)


def _finding(seen: RuleInput, namespace: str, other: str, joined: int, total: int) -> Finding:
    return seen.finding(
        namespace,
        "",
        f"{count(joined)} of {counted(total, 'captured read')} ({share(joined, total)}) join `{other}`",
        number=100 * joined / total,
        limit="share",
        cost="a query in another collection for each row read",
        remedy=f"Embed `{other}` if it is bounded, or copy the fields the join is for; nestling design weighs both.",
        evidence={"joined": joined, "reads": total},
        confidence=Confidence.LIKELY,
        work=Work(lookups=1),
    )
