"""Counters that differ from the number of rows, or of array elements, that they count.

Why: a counter saves counting, but must change with each row that is added or removed. If one of the two writes is lost – a
process dies in between, somebody deletes by hand – the counter is wrong from then on, and nobody notices.

Example: `products.reviewCount` differs from the number of `reviews` that refer to the product in 53 of 800 products.

Remedy: look at the documents that differ: the first command shows them, with the counter and the number of rows. Then count
again, and change the counter together with its rows: in one transaction, or from a change stream (`nestling sync`). The second
command writes only counters that differ, and only if nobody has changed the counter since the rows were counted: run it again
until nothing differs. With an index on the reference both look the rows up; without one they count all rows in one pass
(MongoDB 4.4). Array elements are counted by the update itself: change their counter in the same update as the array, with
`$inc` next to `$push`.

A field is a counter if its name says so (`reviewCount`, `num_reviews`, `reviews`) and it equals the number of rows that refer
to its document, or of elements of an array in it, in at least eight of ten documents and more often than chance explains. All
rows must have been read, which is so for collections of up to 120,000 documents and 64 MB. A counter that exceeds the number of
elements only in the documents with the longest arrays does not count elements: the array keeps only some, such as the latest.
Of several sets of rows that a field may count, it counts the one with whose number it agrees most.

Ignore when: the field counts something else, such as only published rows.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.lookup_indexes import has_index
from nestling.doctor.recounting import can_recount, recounting, showing
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.words import share
from nestling.ir.facts import field_path, steps_text
from nestling.ir.facts.structure import Counted, Steps
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.quantity_words import count, counted

RULE = Rule(
    "Drifted counter",
    Severity.WARNING,
    (Threshold("counters", "counters that differ from the rows they count", "counters", {"nestling": 0}),),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Counters that differ in some documents; of what a field may count, that with which it agrees most."""
    best: dict[tuple[str, str, Steps], Counted] = {}
    for each in seen.facts.counters:
        place = each.database, each.collection, each.column
        if place not in best or each.equal > best[place].equal:
            best[place] = each
    for each in best.values():
        if each.checked - each.equal > seen.limits["counters"].value:
            yield _finding(seen, each, each.checked - each.equal)


def _finding(seen: RuleInput, counter: Counted, drifted: int) -> Finding:
    if counter.is_inside:
        counts = f"elements of `{steps_text(counter.child_node[:-1])}`"
    else:
        counts = f"rows of `{counter.child}.{steps_text(counter.child_columns[0])}`"
    commands: tuple[str, ...] = ()
    if can_recount(counter):
        reference = field_path(counter.child_columns[0]) if not counter.is_inside else ""
        indexed = has_index(seen.facts, counter.database, counter.child, reference)
        commands = (showing(counter, indexed=indexed), recounting(counter, indexed=indexed))
    return seen.finding(
        f"{counter.database}.{counter.collection}",
        steps_text(counter.column),
        f"counts the {counts}, but differs from their number in {count(drifted)} of"
        f" {counted(counter.checked, 'row')}: {share(drifted, counter.checked)}",
        number=drifted,
        limit="counters",
        cost=f"readers see a wrong number in {counted(drifted, 'document')}, and `$inc` keeps the error",
        remedy="Look at the documents that differ. If the field counts something else, such as only some of the"
        " rows, accept the finding in an ignore file. Otherwise recount, and from now on change the counter"
        " together with its rows.",
        commands=commands,
        evidence={"checked": counter.checked, "equal": counter.equal},
        confidence=Confidence.POSSIBLE,
    )
