"""Computed and pre-aggregated values (C2, C7): an aggregate over a parent's children, stored in the parent's document.

If the average of exact numbers is exact, as in PostgreSQL and MySQL, a sum and a count are stored in its place. A sum of whole
numbers is stored only if it cannot exceed 64 bits, whatever rows a parent gets, as far as their values are known.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Aggregate, Suggestion, kept_aggregates
from nestling.ir.model import Relationship
from nestling.ir.rows import AggregateKind
from nestling.ir.situation import Situation
from nestling.ir.types import TypeName
from nestling.ir.value_forms.numeral import INT64
from nestling.ir.workload import Access, Operator, Statement
from nestling.patterns.extended_reference import freshness_of


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """One for each aggregate over a parent's children that a statement asks for."""
    motives: dict[tuple[str, AggregateKind, str | None], list[str]] = {}
    for statement in situation.reading.workload.statements:
        dialect = situation.reading.dialect_of(statement)
        for access in statement.accesses if not statement.kind.writes else ():
            for link in situation.parents[access.entity]:
                if per_parent(statement, access, link):
                    for function, attribute in kept_aggregates(access, situation.model, dialect):
                        motives.setdefault((link.name, function, attribute), []).append(statement.name)
    for (name, function, attribute), statements in motives.items():
        link = situation.model.relationship(name)
        if function is AggregateKind.SUM and attribute is not None and _may_overflow(situation, link.child, attribute):
            continue
        what = f"{function} of {link.child}" + (f".{attribute}" if attribute else "")
        freshness = freshness_of(situation, link.child, attribute or "", name)
        part = Aggregate(name, function, attribute, freshness)
        yield Suggestion(f"{what} in {link.parent} by {name}", part, tuple(dict.fromkeys(statements)))


def per_parent(statement: Statement, access: Access, link: Relationship) -> bool:
    """Whether exactly the children of one parent are aggregated: by a join along the link, or by the parent's key."""
    if not access.aggregates or link.is_self:
        return False
    other = {each.attribute for each in access.filters} - set(link.child_attributes)
    if other:
        return False
    exact = access.compared(Operator.EQUALITY)
    joined = access.via == link.name or any(a.via == link.name and a.entity == link.parent for a in statement.accesses)
    return joined or set(link.child_attributes) <= exact


def _may_overflow(situation: Situation, child: str, attribute: str) -> bool:
    """Whether the sum over all rows, which may all belong to one parent, could exceed 64 bits: legal writes would then fail."""
    known = situation.statistics.entity(child)
    values = known.attribute(attribute).values
    is_whole = situation.model.entity(child).attribute(attribute).type.name is TypeName.INTEGER
    if not is_whole or known.count is None or values is None:
        return False
    each = (*values.quantiles, *(value for value, _ in values.common))
    largest = max((abs(value) for value in each if isinstance(value, int)), default=0)
    return largest * (int(known.count.value) + 1) >= INT64
