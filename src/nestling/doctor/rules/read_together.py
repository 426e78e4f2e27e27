"""Collections that are read together and stored apart.

Why: what most reads of a collection join belongs into its documents: one read instead of two, and one place to change
together.

Example: nine of ten reads of `orders` join `order_lines`.

Remedy: embed it when it is bounded, copy the fields shown when it is not. `nestling design` weighs both against the
writes.

Ignore when: the other side is large, changes often, or is read on its own more often.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.rule import Rule, Seen, Threshold
from nestling.doctor.words import share
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.quantity_words import count
from nestling.ir.work import Work

RULE = Rule(
    "Read together, stored apart",
    Severity.WARNING,
    (
        Threshold("share", "reads of a collection that join the other", "%", {"nestling": 50}),
        Threshold("statements", "reads captured below which no share is told", "statements", {"nestling": 20}),
    ),
)
READS = ("find", "aggregate", "count", "distinct")


def findings(seen: Seen) -> Iterator[Finding]:
    """Pairs of collections that most reads of the first join."""
    reads = [each for each in seen.facts.statements if each.operation in READS]
    for database, name in sorted({(each.database, each.collection) for each in reads}):
        mine = [each for each in reads if (each.database, each.collection) == (database, name)]
        total = sum(each.count for each in mine)
        if total < seen.limits["statements"].value:
            continue
        for other in sorted({join.collection for each in mine for join in each.joins}):
            joined = sum(each.count for each in mine if any(join.collection == other for join in each.joins))
            if 100 * joined > seen.limits["share"].value * total:
                yield _finding(seen, f"{database}.{name}", other, joined, total)


def _finding(seen: Seen, namespace: str, other: str, joined: int, total: int) -> Finding:
    return seen.finding(
        namespace,
        "",
        f"{count(joined)} of {count(total)} reads captured ({share(joined, total)}) join `{other}`",
        number=100 * joined / total,
        limit="share",
        cost="a query in another collection for each row read",
        remedy=f"Embed `{other}` if it is bounded, or copy the fields the join is for; nestling design weighs both.",
        evidence={"joined": joined, "reads": total},
        confidence=Confidence.LIKELY,
        work=Work(lookups=1),
    )
