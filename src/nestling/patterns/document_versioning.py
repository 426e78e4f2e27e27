"""Document versioning (C8): every version of a document in a collection of its own, the current one in the document as well.

Proposed where the key of a child is its parent's and one thing more, such as a number, and statements ask for the row of each
parent with the greatest (or least) of all: by a subquery for it, or as the first in that order. All versions stay where they
are, for whoever asks for another one; a new version changes its document too. The current one lies there as an array of one; a
sub-document, as below, is for designs written by hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import FirstChildren, Suggestion
from nestling.ir.primitives import Order
from nestling.ir.rows import EXTREME_IS_LAST
from nestling.ir.situation import Situation
from nestling.ir.workload import Access, AttributeFilter, Operator
from nestling.patterns.extended_reference import freshness_of
from nestling.patterns.subset import are_versions, first_few


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """One for each relationship to versions, with all that statements show of the current one."""
    asked: dict[tuple[str, Order], list[tuple[str, tuple[str, ...]]]] = {}
    for name, order, statement, attributes in (*_greatest(situation), *_first(situation)):
        asked.setdefault((name, order), []).append((statement, attributes))
    for (name, order), found in asked.items():
        link = situation.model.relationship(name)
        shown = {order.attribute, *(each for _, attributes in found for each in attributes)} - {*link.child_attributes}
        attributes = tuple(each for each in situation.model.entity(link.child).attribute_names if each in shown)
        part = FirstChildren(name, attributes, (order,), 1, freshness_of(situation, link.child, "", name))
        by = f"-{order.attribute}" if order.descending else order.attribute
        motives = tuple(dict.fromkeys(statement for statement, _ in found))
        yield Suggestion(f"first 1 {link.child} by {by} in {link.parent}", part, motives)


_Asked = tuple[str, Order, str, tuple[str, ...]]
"""A relationship, what is the current version, the statement that asks for it, and what that shows."""


def _greatest(situation: Situation) -> Iterator[_Asked]:
    """Statements that join parents with the child that has the greatest value of theirs, by a subquery."""
    for statement in situation.reading.workload.statements:
        for every in statement.accesses if not statement.kind.writes else ():
            for one in statement.accesses if every.via is not None and len(every.aggregates) == 1 else ():
                ((function, attribute),) = every.aggregates
                link = situation.model.relationship(every.via or "")
                if (
                    function not in EXTREME_IS_LAST
                    or attribute is None
                    or not are_versions(situation, link, (Order(attribute),))
                ):
                    continue
                if every.entity == link.child and _is_one(one, every, attribute):
                    yield link.name, Order(attribute, EXTREME_IS_LAST[function]), statement.name, one.attributes


def _is_one(one: Access, every: Access, attribute: str) -> bool:
    """Whether an access is to the rows of another that have the value a subquery gives, and shows them."""
    same = (one.entity, one.via) == (every.entity, every.via)
    return (
        same
        and not one.aggregates
        and not every.filters
        and [*one.filters] == [AttributeFilter(attribute, Operator.EACH)]
    )


def _first(situation: Situation) -> Iterator[_Asked]:
    """Statements that ask for the first child of one parent."""
    for part, statements in first_few(situation):
        link = situation.model.relationship(part.relationship)
        if part.limit == 1 and are_versions(situation, link, part.order):
            for statement in statements:
                yield link.name, part.order[0], statement, part.attributes
