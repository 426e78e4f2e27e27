"""Subset and newest-N tail (C1, B4): the first few children in an order, stored in the parent's document too.

Proposed if a statement asks for the first N children of one parent in an order. Attributes that it reads from rows the children
refer to are included.

A new row is inserted at its place by one operator if the stored attributes determine the place: the order and then the key, or
all attributes of rows without a key, if they distinguish the stored rows. Otherwise each INSERT reads the parent's children
again.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import FirstChildren, Suggestion
from nestling.ir.model import Relationship
from nestling.ir.primitives import Order
from nestling.ir.situation import Situation
from nestling.ir.workload import Access, Operator, Statement
from nestling.patterns.extended_reference import freshness_of

MOST_ROWS = 1_000
"""The largest N for a subset (the sources keep the newest thousand)."""


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """One for each list of a parent's first few children that statements ask for, except versions."""
    for part, statements in first_few(situation):
        link = situation.model.relationship(part.relationship)
        if part.limit != 1 or not are_versions(situation, link, part.order):
            by = ", ".join(f"-{each.attribute}" if each.descending else each.attribute for each in part.order)
            yield Suggestion(f"first {part.limit} {link.child} by {by} in {link.parent}", part, statements)


def first_few(situation: Situation) -> Iterator[tuple[FirstChildren, tuple[str, ...]]]:
    """Yield the first few children of one parent that statements ask for, with all attributes they read; and these statements."""
    asked: dict[tuple[str, tuple[Order, ...], int], list[tuple[str, tuple[str, ...]]]] = {}
    for name, order, limit, statement, attributes in _asked(situation):
        asked.setdefault((name, order, limit), []).append((statement, attributes))
    for (name, order, limit), found in asked.items():
        attributes = tuple(dict.fromkeys(each for _, shown in found for each in shown))
        freshness = freshness_of(situation, situation.model.relationship(name).child, "", name)
        yield FirstChildren(name, attributes, order, limit, freshness), tuple(dict.fromkeys(each for each, _ in found))


def are_versions(situation: Situation, link: Relationship, order: tuple[Order, ...]) -> bool:
    """Whether the children of one parent are identified by their order attribute alone, as versions are by their number."""
    return len(order) == 1 and {*situation.model.entity(link.child).key} == {*link.child_attributes, order[0].attribute}


def _asked(situation: Situation) -> Iterator[tuple[str, tuple[Order, ...], int, str, tuple[str, ...]]]:
    """Yield the relationship, the order, the number of rows, the statement, and the attributes it reads."""
    for statement in situation.reading.workload.statements:
        if statement.kind.writes or statement.limit is None or not 0 < statement.limit <= MOST_ROWS:
            continue
        for access in statement.accesses:
            for link in situation.parents[access.entity]:
                if _of_one_parent(statement, access, link) and access.sort:
                    order = tuple(Order(name, down) for name, down in access.order)
                    key = situation.model.entity(link.child).key
                    wanted = dict.fromkeys((*access.attributes, *(each.attribute for each in order), *key))
                    shown = tuple(name for name in wanted if name not in link.child_attributes)
                    yield link.name, order, statement.limit, statement.name, shown


def _of_one_parent(statement: Statement, access: Access, link: Relationship) -> bool:
    """Whether the rows are those of one parent, selected by its key alone and sorted by their own attributes."""
    exact = access.compared(Operator.EQUALITY)
    others = [each for each in access.filters if each.attribute not in link.child_attributes]
    alone = all(not each.filters and not each.sort for each in statement.accesses if each is not access)
    return set(link.child_attributes) <= exact and not others and alone and not access.aggregates
