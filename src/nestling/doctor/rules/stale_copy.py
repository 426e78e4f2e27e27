"""Copies that differ from what they are copies of.

Why: a copied field saves a join and must be changed wherever it is when its source changes. When that is forgotten,
readers see the old value for ever.

Example: 12 of 3,000 orders hold a customer's name that the customer no longer has.

Remedy: bring them up to date, and change copies with their source: in one transaction, or from a change stream
(`nestling sync`). The command writes nothing but the copies that differ, so an application may go on writing meanwhile. Of copies
in arrays it writes the whole array, and only where nobody has changed the array since it was read: run it again until nothing
differs. A copy stays where its source lacks the field, for it may be the last to hold the value, and where two documents have the
key.

Where both collections have up to 64 MB, all copies are compared; of larger ones a sample of 5,000 documents, the same on every
run.

Ignore when: the copy is meant to stay as it was, such as the price at the time of an order.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.expiring import dates_come
from nestling.doctor.refreshing import can_refresh, refreshing
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.words import sampled_share
from nestling.ir.facts import Copied, Sample, field_path, steps_text
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.quantity_words import agreeing, count, counted

RULE = Rule(
    "Stale copy",
    Severity.WARNING,
    (Threshold("copies", "copies that differ from their source, of those compared", "copies", {"nestling": 0}),),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Copied fields of which some differ."""
    for copied in seen.facts.copies:
        if copied.checked - copied.equal > seen.limits["copies"].value:
            yield _finding(seen, copied, copied.checked - copied.equal)


def _finding(seen: RuleInput, copied: Copied, stale: int) -> Finding:
    part = sampled_share(stale, copied.checked, Sample(copied.checked, "all" if copied.whole else "seeded"))
    which = "" if copied.whole else " compared, a sample,"
    differs = agreeing(stale, "differs", "differ")
    where = seen.facts.collection(copied.database, copied.collection)
    expiry = dates_come(where, field_path(copied.steps)) if where is not None else ""
    return seen.finding(
        f"{copied.database}.{copied.collection}",
        steps_text(copied.steps),
        f"{count(stale)} of {counted(copied.checked, 'copy')} of `{copied.target}.{copied.target_field}`{which} {differs}:"
        f" {part}",
        number=stale,
        limit="copies",
        cost="readers of the copy see what is no longer so",
        remedy=f"{expiry}Bring them up to date, and change them with their source; if they are to stay, say so in an ignore"
        " file.",
        commands=(refreshing(copied),) if can_refresh(copied) and not expiry else (),
        evidence={"checked": copied.checked, "equal": copied.equal},
        confidence=Confidence.POSSIBLE,
    )
