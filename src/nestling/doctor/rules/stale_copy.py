"""Copies that differ from what they are copies of.

Why: a copied field saves a join and must be changed wherever it is when its source changes. When that is forgotten,
readers see the old value for ever.

Example: 12 of 300 orders hold a customer's name that the customer no longer has.

Remedy: bring them up to date, and change copies with their source: in one transaction, or from a change stream
(`nestling sync`). The command writes nothing but the copies that differ, so an application may go on writing meanwhile.

Ignore when: the copy is meant to stay as it was, such as the price at the time of an order.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.rule import Rule, Seen, Threshold
from nestling.doctor.words import in_database, sampled_share
from nestling.ir.facts import ELEMENT, Copied, Sample, field_path, steps_text
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.literals import quoted
from nestling.ir.quantity_words import agreeing, count, counted

RULE = Rule(
    "Stale copy",
    Severity.WARNING,
    (Threshold("copies", "copies that differ from their source, of those compared", "copies", {"nestling": 0}),),
)


def findings(seen: Seen) -> Iterator[Finding]:
    """Copied fields of which some differ."""
    for copied in seen.facts.copies:
        if copied.checked - copied.equal > seen.limits["copies"].value:
            yield _finding(seen, copied, copied.checked - copied.equal)


def _finding(seen: Seen, copied: Copied, stale: int) -> Finding:
    part = sampled_share(stale, copied.checked, Sample(copied.checked, "random"))
    differs = agreeing(stale, "differs", "differ")
    return seen.finding(
        f"{copied.database}.{copied.collection}",
        steps_text(copied.steps),
        f"{count(stale)} of {counted(copied.checked, 'copy')} of `{copied.target}.{copied.target_field}` compared {differs}:"
        f" {part}",
        number=stale,
        limit="copies",
        cost="readers of the copy see what is no longer so",
        remedy="Bring them up to date, and change them with their source; if they are to stay, say so in an ignore file.",
        commands=_commands(copied),
        evidence={"checked": copied.checked, "equal": copied.equal},
        confidence=Confidence.POSSIBLE,
    )


def _commands(copied: Copied) -> tuple[str, ...]:
    """One merge of the copies that differ, where they lie in no array.

    It writes the copy alone, and only over what it was when it was read: what others write meanwhile stays.
    """
    if ELEMENT in copied.steps:
        return ()
    field = field_path(copied.steps)
    name, value = quoted(field), quoted("$" + field)
    lookup = (
        f"{{$lookup: {{from: {quoted(copied.target)}, localField: {quoted(field_path(copied.reference))}, "
        f"foreignField: {quoted(copied.target_key)}, as: 'source'}}}}"
    )
    now = f"{{$first: {quoted('$source.' + copied.target_field)}}}"
    kept = f"{{$cond: [{{$eq: [{value}, '$$new.was']}}, '$$new.now', {value}]}}"
    merge = f"into: {quoted(copied.collection)}, whenMatched: [{{$set: {{{name}: {kept}}}}}], whenNotMatched: 'discard'"
    stages = (
        f"{{$match: {{{name}: {{$exists: true}}}}}}",
        lookup,
        "{$match: {source: {$ne: []}}}",
        f"{{$project: {{was: {value}, now: {now}}}}}",
        "{$match: {$expr: {$ne: ['$was', '$now']}}}",
        f"{{$merge: {{{merge}}}}}",
    )
    return (f"{in_database(copied.database, copied.collection)}.aggregate([{', '.join(stages)}])",)
