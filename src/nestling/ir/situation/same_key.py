"""Statements that read one parent, and others that read its children by the same key about as often: perhaps one page of both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nestling.ir.model import Relationship
from nestling.ir.situation.situation import Situation
from nestling.ir.workload import Access, Operator, Statement, StatementKind

AS_OFTEN = 1.25
"""Rates that differ by no more than this factor are about the same."""


@dataclass(frozen=True, slots=True)
class ReadBySameKey:
    """A statement that reads one parent by its key, and one that reads all children of one parent by theirs."""

    link: Relationship
    parent: Statement
    children: Statement


def read_by_same_key(situation: Situation) -> Iterator[ReadBySameKey]:
    """For each relationship, the pairs of SELECTs that run about equally often, the most frequent first."""
    found = [
        ReadBySameKey(link, parent, children)
        for link in situation.model.relationships
        if not link.is_self
        for parent in _reading(situation, link.parent, link.parent_attributes, without=link.child)
        for children in _reading(situation, link.child, link.child_attributes, without=link.parent)
        if _about_as_often(parent, children)
    ]
    yield from sorted(found, key=lambda each: -each.parent.rate_per_second)


def _reading(situation: Situation, entity: str, by: tuple[str, ...], *, without: str) -> Iterator[Statement]:
    """The SELECTs that read rows of the entity by exactly these attributes, and do not read the other entity."""
    for statement in situation.statements_of[entity]:
        first, touched = statement.accesses[0], {access.entity for access in statement.accesses}
        is_led = statement.kind is StatementKind.SELECT and first.entity == entity and without not in touched
        if is_led and _asks_for(first, by):
            yield statement


def _asks_for(access: Access, by: tuple[str, ...]) -> bool:
    exact = [each.attribute for each in access.filters if each.operator is Operator.EQUALITY]
    return sorted(exact) == sorted(by) and len(exact) == len(access.filters)


def _about_as_often(one: Statement, other: Statement) -> bool:
    rates = sorted((one.rate_per_second, other.rate_per_second))
    return rates[0] > 0 and rates[1] <= AS_OFTEN * rates[0]
