"""Copies that differ from their source.

Why: a copied field saves a join, but must be changed everywhere when its source changes. If that is forgotten, readers see the
old value for ever.

Example: 12 of 3,000 orders hold a customer's name that the customer no longer has.

Remedy: first look at the documents that differ: a command shows them, with the copy and its source. Then update the copies, and
change them together with their source: in one transaction, or from a change stream (`nestling sync`). The last command writes
only copies that differ, so applications may keep writing meanwhile. For copies in arrays it writes the whole array, and only if
nobody has changed the array since it was read: run it again until nothing differs. A copy stays if its source lacks the field,
because it may be the last place with the value, and if two documents have the key. If the key has no index, create it first.

No command overwrites a copy that looks like a record of its source at some moment: an amount of money in a line of an array or
in a document with a date, or any field of a document that records an event, such as an order with its own date. Only you know
whether such a copy should follow its source. No command overwrites a copy whose source holds values of several types either:
give it one type first (`mixed-types`).

A field is a copy if its name says so (`user_name`, or `user.name` next to `user_id`) and half of the values are equal. Without
such a name, eight of ten must be equal, with at least ten different values, and more than chance explains: `orders.author` next
to `user_id` is `users.name`. Such copies are searched for in collections of up to 120,000 documents and 64 MB.

A text that is a number equals that number. If both collections have up to 64 MB, all copies are compared; of larger ones a
sample of 5,000 documents, the same on every run.

Ignore when: the copy must stay as it was, such as the price at the time of an order.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.expiring import dates_come
from nestling.doctor.lookup_indexes import creating_first, index_first
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
    f"{_LOOK}. Then update the copies, and from now on change them together with their source; if they are meant to"
    " stay, accept the finding in an ignore file."
)
_QUESTION = (
    f"{_LOOK}. If the copy records its source at some moment, such as the price that was paid, nothing is stale:"
    " accept the finding in an ignore file. If it is to follow its source, change both together from now on, and"
    " correct what differs. No command here overwrites it, because nothing could bring the old value back."
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Copied fields that differ in some documents."""
    for copied in seen.facts.copies:
        if copied.checked - copied.equal > seen.limits["copies"].value:
            yield _finding(seen, copied, copied.checked - copied.equal)


def _finding(seen: RuleInput, copied: Copied, stale: int) -> Finding:
    part = sampled_share(stale, copied.checked, Sample(copied.checked, "all" if copied.whole else "seeded"))
    which = "" if copied.whole else " in a sample"
    differs = agreeing(stale, "differs", "differ")
    holder = seen.facts.collection(copied.database, copied.collection)
    hindered = _hindered(seen, copied, holder)
    keys = (seen.facts, copied.database, copied.target, copied.target_key)
    first = index_first(*keys) if can_refresh(copied) else ""
    by_values = "" if copied.named else "; it is taken for a copy by its values, not by its name"
    return seen.finding(
        f"{copied.database}.{copied.collection}",
        steps_text(copied.steps),
        f"{count(stale)} of {counted(copied.checked, 'copy')} of `{copied.target}.{copied.target_field}`{which} {differs}:"
        f" {part}{by_values}",
        number=stale,
        limit="copies",
        cost="readers of the copy see outdated values",
        remedy=first + (hindered or _UPDATE),
        commands=(*(creating_first(*keys) if first else ()), *_commands(copied, is_right=not hindered)),
        evidence={"checked": copied.checked, "equal": copied.equal},
        confidence=Confidence.POSSIBLE,
    )


def _hindered(seen: RuleInput, copied: Copied, holder: CollectionFacts | None) -> str:
    """Why no command overwrites the copies, and what to do instead; "" if nothing prevents it."""
    expiry = dates_come(holder, field_path(copied.steps)) if holder is not None else ""
    if expiry:
        return f"{expiry}{_LOOK}; if they are meant to stay, accept the finding in an ignore file."
    source = seen.facts.collection(copied.database, copied.target)
    path = source.path(*copied.target_field.split(".")) if source is not None else None
    if path is not None and len(kinds := _types(path)) > 1:
        return (
            f"First give `{copied.target}.{copied.target_field}` one type: its values have the types"
            f" {', '.join(kinds)} (see mixed-types), and a copy would take each as it is. Then run the doctor again."
        )
    return _QUESTION if is_snapshot(copied, holder) else ""


def _types(path: PathFacts) -> list[str]:
    return [*kinds_of(path)] if not min(unequal_numbers(path)) else ["decimal", "double"]


def _commands(copied: Copied, *, is_right: bool) -> tuple[str, ...]:
    if not can_refresh(copied):
        return ()
    return (showing(copied), refreshing(copied)) if is_right else (showing(copied),)
