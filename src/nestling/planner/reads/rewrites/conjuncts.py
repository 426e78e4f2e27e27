"""Predicates as conjunctions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nestling.ir.statements.algebra import Filter, Relation, filtered
from nestling.ir.statements.expression import Expression
from nestling.ir.statements.operands import conjunction, conjuncts
from nestling.planner.reads.traverse import mentioned


def restricted(relation: Relation, predicates: Sequence[Expression]) -> Relation:
    """The relation restricted by all predicates, in one Filter."""
    if isinstance(relation, Filter) and predicates:
        return restricted(relation.input, [*conjuncts(relation.predicate), *predicates])
    return filtered(relation, conjunction(*dict.fromkeys(predicates)))


def about(predicate: Expression) -> frozenset[str]:
    """The aliases whose columns a predicate mentions."""
    return frozenset(column.alias for column in mentioned(predicate))


def only_about(predicate: Expression, own: Iterable[str], others: Iterable[str]) -> bool:
    """Whether it mentions columns of `own` and none of `others`."""
    mentions = about(predicate)
    return not mentions.isdisjoint(own) and mentions.isdisjoint(others)
