"""A scalar subquery's aggregates over nothing need no row of NULLs made for them: that it finds none says the same."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from nestling.ir.paths.row_steps import ColumnId
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import AggregateFunction, Relation
from nestling.ir.statements.expression import Arithmetic, Cast, Coerce, Column, Expression, Literal, Negate, Raw
from nestling.ir.types import INTEGER

_NULL_OVER_NOTHING = frozenset(
    {AggregateFunction.SUM, AggregateFunction.AVG, AggregateFunction.MIN, AggregateFunction.MAX}
)


def without_empty_group(relation: Relation) -> Relation:
    """The relation, which gives one row or, where that row would hold NULL for want of rows, none."""
    match relation:
        case a.GroupBy(keys=()) if _all_null(relation):
            return _by_constant(relation)
        case a.Project(input=a.GroupBy(keys=()) as group, outputs=(output,)) if _all_null(group):
            made = {(group.alias, item.name) for item in group.aggregates}
            if is_null_without(output.expression, made):
                return replace(relation, input=_by_constant(group))
    return relation


def _all_null(group: a.GroupBy) -> bool:
    return all(item.aggregate.function in _NULL_OVER_NOTHING for item in group.aggregates)


def _by_constant(group: a.GroupBy) -> a.GroupBy:
    """Grouped by a constant: one group, and none of nothing."""
    return replace(group, keys=(a.Named("all", Literal(1, INTEGER)),), collations=())


def is_null_without(expression: Expression, made: Collection[ColumnId]) -> bool:
    """Whether it is NULL when these columns are."""
    match expression:
        case Column(alias=alias, name=name):
            return (alias, name) in made
        case Arithmetic(left=left, right=right):
            return is_null_without(left, made) or is_null_without(right, made)
        case Negate(operand=operand) | Raw(operand=operand) | Coerce(operand=operand) | Cast(operand=operand):
            return is_null_without(operand, made)
        case _:
            return False
