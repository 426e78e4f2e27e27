"""Two-way references whose sides disagree.

Why: a two-way reference is stored twice and changed twice. If one of the changes is lost, the answer depends on which side is
read.

Example: a book lists author 7, and author 7 does not list the book.

Remedy: change both sides in one transaction; if one side is enough, keep the reference only there. Rebuild one side from the
other.

Ignore when: never: one of the two answers is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.commands import aggregate, in_database
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.words import sampled_share
from nestling.ir.facts import Sample, TwoWay, field_path, steps_text
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.programs.compiled import Mql
from nestling.ir.quantity_words import agreeing, count, counted

RULE = Rule(
    "Two-way disagreement",
    Severity.ERROR,
    (Threshold("links", "links held by one side only, of those compared", "links", {"nestling": 0}),),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Two-way references with links on one side only."""
    for pair in seen.facts.two_ways:
        if pair.one_sided > seen.limits["links"].value:
            yield _finding(seen, pair)


def _finding(seen: RuleInput, pair: TwoWay) -> Finding:
    part = sampled_share(pair.one_sided, pair.checked, Sample(pair.checked, "random"))
    here, there = field_path(pair.steps), field_path(pair.target_steps)
    held = {"$setUnion": [{"$ifNull": [f"${here}", []]}, []]}
    stages: tuple[Mql, ...] = (
        {"$lookup": {"from": pair.target, "localField": "_id", "foreignField": there, "as": "others"}},
        {"$match": {"$expr": {"$not": {"$setEquals": [held, "$others._id"]}}}},
        {"$project": {here: 1}},
    )
    command = aggregate(in_database(pair.database, pair.collection), stages)
    return seen.finding(
        f"{pair.database}.{pair.collection}",
        steps_text(pair.steps),
        f"{count(pair.one_sided)} of {counted(pair.checked, 'link')} compared {agreeing(pair.one_sided)} held by one side only "
        f"(the other is `{pair.target}.{steps_text(pair.target_steps)}`): {part}",
        number=pair.one_sided,
        limit="links",
        cost="the answer depends on which side is asked",
        remedy="Rebuild one side from the other, and change both in one transaction from now on.",
        commands=(command,) if pair.steps[-1] == "[]" else (),
        evidence={"checked": pair.checked, "one_sided": pair.one_sided},
        confidence=Confidence.LIKELY,
    )
