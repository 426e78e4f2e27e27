"""Counters that differ from the number of rows, or of elements of an array, that they count.

Why: a counter saves counting and must change with each row that comes or goes. Where one of the two writes is lost – a process
that ends in between, a delete by hand – the counter is wrong from then on, and nothing tells.

Example: `products.reviewCount` differs from the number of `reviews` that refer to the product in 53 of 800 products.

Remedy: look at the documents that differ: the first command shows them, with what they say and how many rows there are. Then
count anew, and change the counter with its rows: in one transaction, or from a change stream (`nestling sync`). The second
command writes nothing but counters that differ, and only where nobody has changed the counter since the rows were counted: run
it again until nothing differs. With an index on the reference both are quick. Elements are counted by the update itself: change
their counter in the same update as the array, `$inc` beside `$push`.

A field is a counter where its name says so (`reviewCount`, `num_reviews`, `reviews`), and where it is the number of rows that
refer to its document, or of elements of an array in it, in most documents, eight of ten, and in more than chance explains. All
rows must have been read: of collections of up to 120,000 documents and 64 MB. A counter that says more only where the array is as
long as any is none of its elements: the array keeps some, such as the latest.

Ignore when: the field counts something else, such as the rows that are published.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.recounting import can_recount, recounting, showing
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.words import share
from nestling.ir.facts import steps_text
from nestling.ir.facts.structure import Counted
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.quantity_words import agreeing, count, counted

RULE = Rule(
    "Drifted counter",
    Severity.WARNING,
    (Threshold("counters", "counters that differ from the rows they count", "counters", {"nestling": 0}),),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Counters of which some differ."""
    for each in seen.facts.counters:
        if each.checked - each.equal > seen.limits["counters"].value:
            yield _finding(seen, each, each.checked - each.equal)


def _finding(seen: RuleInput, counter: Counted, drifted: int) -> Finding:
    if counter.is_inside:
        counts = f"elements of `{steps_text(counter.child_node[:-1])}`"
    else:
        counts = f"rows of `{counter.child}.{steps_text(counter.child_columns[0])}`"
    return seen.finding(
        f"{counter.database}.{counter.collection}",
        steps_text(counter.column),
        f"counts the {counts}, but differs from their number in {count(drifted)} of"
        f" {counted(counter.checked, 'row')}: {share(drifted, counter.checked)}",
        number=drifted,
        limit="counters",
        cost=f"{agreeing(drifted, 'this counter says', 'these counters say')} what is not so, and every change keeps it so",
        remedy="Look at the documents that differ. Does the field count something else, such as part of the rows? Then accept the"
        " finding in an ignore file. Else count anew, and change the counter with its rows from now on.",
        commands=(showing(counter), recounting(counter)) if can_recount(counter) else (),
        evidence={"checked": counter.checked, "equal": counter.equal},
        confidence=Confidence.POSSIBLE,
    )
