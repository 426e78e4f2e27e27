"""Queries that join more often than a document database should.

Why: a `$lookup` runs a query for each row. A schema whose every page joins pays for normalisation on every read, without the
constraints of a relational database.

Example: 70 % of the statements profiled contain a `$lookup`.

Remedy: embed what is always read together, or copy the few fields that the join is for.

Ignore when: the joins are reports that run at night.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.words import listed, share
from nestling.ir.facts import StatementFacts
from nestling.ir.finding import Finding, Severity
from nestling.ir.paths.work import Work
from nestling.ir.quantity_words import count, counted, duration

RULE = Rule(
    "Excessive $lookup",
    Severity.WARNING,
    (
        Threshold("share", "share of captured reads that join", "%", {"atlas": 50}),
        Threshold("statements", "captured reads; with fewer, no share is reported", "statements", {"nestling": 20}),
    ),
)
READS = ("find", "aggregate", "count", "distinct")


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Databases whose statements join too often."""
    for database in seen.facts.databases:
        reads = [each for each in seen.facts.statements if each.database == database and each.operation in READS]
        joining, total = [each for each in reads if each.joins], sum(each.count for each in reads)
        joined = sum(each.count for each in joining)
        if total >= seen.limits["statements"].value and 100 * joined > seen.limits["share"].value * total:
            yield _finding(seen, database, joining, joined, total)


def _finding(seen: RuleInput, database: str, joining: list[StatementFacts], joined: int, total: int) -> Finding:
    pairs = sorted({f"{each.collection} → {join.collection}" for each in joining for join in each.joins})
    seconds = sum(each.seconds for each in joining)
    return seen.finding(
        database,
        "",
        f"{count(joined)} of {counted(total, 'captured read')} ({share(joined, total)}) join: {listed(pairs)}",
        number=100 * joined / total,
        limit="share",
        cost=f"{duration(seconds)} of server time in the capture",
        remedy="Embed what is always read together, or copy the few fields the join is for.",
        evidence={"joins": joined, "reads": total, "seconds": seconds},
        work=Work(lookups=sum(each.count * len(each.joins) for each in joining) / joined),
        mean_seconds=seconds / joined,
    )
