"""Subset and newest-N tail (C1, B4): the first few children by an order, kept in the parent's document too.

Proposed where a statement asks for the first N children of one parent in an order; what it shows of rows the children refer to
comes along.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Candidate, Newest
from nestling.ir.model import Relationship
from nestling.ir.primitives import Order
from nestling.ir.situation import Situation
from nestling.ir.workload import Access, Operator, Statement
from nestling.patterns.extended_reference import freshness_of

MOST_ROWS = 1_000
"""The largest N: beyond it a subset is no subset (the sources keep the newest thousand)."""


def candidates(situation: Situation) -> Iterator[Candidate]:
    """One for each statement that asks for the first few children of one parent."""
    for statement in situation.reading.workload.statements:
        if statement.kind.writes or statement.limit is None or not 0 < statement.limit <= MOST_ROWS:
            continue
        for access in statement.accesses:
            for link in situation.parents[access.entity]:
                if _of_one_parent(statement, access, link) and access.sort:
                    yield _candidate(situation, statement, access, link)


def _of_one_parent(statement: Statement, access: Access, link: Relationship) -> bool:
    """Whether the rows are those of one parent, by its key, in the order of their own attributes, and nothing else decides."""
    exact = {each.attribute for each in access.filters if each.operator is Operator.EQUALITY}
    others = [each for each in access.filters if each.attribute not in link.child_attributes]
    alone = all(not each.filters and not each.sort for each in statement.accesses if each is not access)
    return set(link.child_attributes) <= exact and not others and alone and not access.aggregates


def _candidate(situation: Situation, statement: Statement, access: Access, link: Relationship) -> Candidate:
    order = tuple(Order(name, down) for name, down in access.order)
    key = situation.model.entity(link.child).key
    wanted = (*access.attributes, *(o.attribute for o in order), *key)
    attributes = tuple(dict.fromkeys(name for name in wanted if name not in link.child_attributes))
    assert statement.limit is not None
    freshness = freshness_of(situation, link.child, "", link.name)
    part = Newest(link.name, attributes, order, statement.limit, freshness)
    by = ", ".join(f"-{o.attribute}" if o.descending else o.attribute for o in order)
    return Candidate(
        f"first {statement.limit} {link.child} by {by} in {link.parent}", "subset", part, (statement.name,)
    )
