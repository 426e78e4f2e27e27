"""Copies that differ from what they are copies of.

Why: a copied field saves a join and must be changed wherever it is when its source changes. When that is forgotten,
readers see the old value for ever.

Example: 12 of 3,000 orders hold a customer's name that the customer no longer has.

Remedy: first look at the documents that differ: a command shows them, with what is there and what the source says. Then bring
the copies up to date, and change them with their source: in one transaction, or from a change stream (`nestling sync`). The last
command writes nothing but the copies that differ, so an application may go on writing meanwhile. Of copies in arrays it writes
the whole array, and only where nobody has changed the array since it was read: run it again until nothing differs. A copy stays
where its source lacks the field, for it may be the last to hold the value, and where two documents have the key.

No command writes where a copy looks like what the source was at a moment: an amount of money in a line of an array or in a
document with a date, or any field of a document that tells what happened, such as an order with its own date. Whether such a
copy is to follow its source only you know. No command writes where the source holds values of several types: give it one type
first (`mixed-types`).

A field is a copy where its name says so (`user_name`, `user.name` beside `user_id`) and half of the values are equal. Without
such a name, eight of ten must be, with ten different values at least, and more than chance has it: `orders.author` beside
`user_id` is `users.name`. Such copies are looked for in collections of up to 120,000 documents and 64 MB.

A text that is a number is equal to that number. Where both collections have up to 64 MB, all copies are compared; of larger
ones a sample of 5,000 documents, the same on every run.

Ignore when: the copy is meant to stay as it was, such as the price at the time of an order.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.expiring import dates_come
from nestling.doctor.refreshing import can_refresh, refreshing, showing
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.snapshots import is_snapshot
from nestling.doctor.value_kinds import kinds_of, unequal_numbers
from nestling.doctor.words import sampled_share
from nestling.ir.facts import CollectionFacts, Copied, PathFacts, Sample, field_path, steps_text
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.quantity_words import agreeing, count, counted

RULE = Rule(
    "Stale copy",
    Severity.WARNING,
    (Threshold("copies", "copies that differ from their source, of those compared", "copies", {"nestling": 0}),),
)
_LOOK = "Look at the documents that differ, and at what their source says"
_UPDATE = (
    f"{_LOOK}. Then bring the copies up to date, and change them with their source; if they are to stay, say so in an"
    " ignore file."
)
_QUESTION = (
    f"{_LOOK}. Is the copy to stay as its source was at that moment, such as the price that was paid? Then nothing is stale:"
    " accept the finding in an ignore file. Is it to follow its source? Then change both together from now on, and set right what"
    " differs. No command is given that overwrites it, as nothing brings back what it was."
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
    holder = seen.facts.collection(copied.database, copied.collection)
    hindered = _hindered(seen, copied, holder)
    by_values = "" if copied.named else "; that it is a copy, its values say, not its name"
    return seen.finding(
        f"{copied.database}.{copied.collection}",
        steps_text(copied.steps),
        f"{count(stale)} of {counted(copied.checked, 'copy')} of `{copied.target}.{copied.target_field}`{which} {differs}:"
        f" {part}{by_values}",
        number=stale,
        limit="copies",
        cost="readers of the copy see what is no longer so",
        remedy=hindered or _UPDATE,
        commands=_commands(copied, is_right=not hindered),
        evidence={"checked": copied.checked, "equal": copied.equal},
        confidence=Confidence.POSSIBLE,
    )


def _hindered(seen: RuleInput, copied: Copied, holder: CollectionFacts | None) -> str:
    """Why no command overwrites the copies, and what to do instead; empty where nothing speaks against it."""
    expiry = dates_come(holder, field_path(copied.steps)) if holder is not None else ""
    if expiry:
        return f"{expiry}{_LOOK}; if they are to stay, say so in an ignore file."
    source = seen.facts.collection(copied.database, copied.target)
    path = source.path(*copied.target_field.split(".")) if source is not None else None
    if path is not None and len(kinds := _types(path)) > 1:
        return (
            f"First give `{copied.target}.{copied.target_field}` one type: its values are of the types {', '.join(kinds)}"
            " (see mixed-types), and a copy would take each as it is. Then look again."
        )
    return _QUESTION if is_snapshot(copied, holder) else ""


def _types(path: PathFacts) -> list[str]:
    return [*kinds_of(path)] if not min(unequal_numbers(path)) else ["decimal", "double"]


def _commands(copied: Copied, *, is_right: bool) -> tuple[str, ...]:
    if not can_refresh(copied):
        return ()
    return (showing(copied), refreshing(copied)) if is_right else (showing(copied),)
