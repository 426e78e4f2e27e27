"""Document versioning (C8): every version of a document in a collection of its own, and the current one in the document too.

Proposed if the key of a child is its parent's key plus one more attribute, such as a number, and statements ask for the row of
each parent with the greatest (or least) value: by a subquery, or as the first row in that order. All versions stay in their
collection, for readers of other versions; a new version also changes the document. The current version is stored there as an
array of one; a sub-document, as below, is for designs written by hand.
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
    """One for each relationship to versions, with all attributes of the current one that statements read."""
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
"""A relationship, the order that defines the current version, the statement that asks for it, and the attributes it reads."""


def _greatest(situation: Situation) -> Iterator[_Asked]:
    """Yield statements that join parents, by a subquery, with the child that has their greatest value."""
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
    """Whether an access reads the rows of another access that have the value given by a subquery."""
    same = (one.entity, one.via) == (every.entity, every.via)
    return (
        same
        and not one.aggregates
        and not every.filters
        and [*one.filters] == [AttributeFilter(attribute, Operator.EACH)]
    )


def _first(situation: Situation) -> Iterator[_Asked]:
    """Yield statements that ask for the first child of one parent."""
    for part, statements in first_few(situation):
        link = situation.model.relationship(part.relationship)
        if part.limit == 1 and are_versions(situation, link, part.order):
            for statement in statements:
                yield link.name, part.order[0], statement, part.attributes
