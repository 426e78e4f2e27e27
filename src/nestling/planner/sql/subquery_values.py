"""The values of a subquery as the statement around it sees them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from nestling.ir.statements.algebra import Named, Project, Relation
from nestling.ir.statements.expression import ANY, Expression, ScalarSubquery
from nestling.ir.statements.operands import is_mixed_time
from nestling.ir.statements.operators import Rules
from nestling.planner.sql.conversions import affinity, ordered
from nestling.planner.sql.postgresql.infinite_moments import refuse_infinite
from nestling.planner.sql.scope import Translation


def value_of(
    relation: Relation, node: exp.Expr, translation: Translation, *, what: str, many_fail: bool
) -> ScalarSubquery:
    """The value of the relation's one column; a column of several types has no type of its own, unless it is MySQL's of dates.

    `what` names it in a gap.
    """
    (column,) = relation.columns
    refuse_infinite(what, node, translation, column)
    if not column.mixed or (is_mixed_time(column) and translation.dialect.rules is Rules.MYSQL):
        return ScalarSubquery(relation, column.type, many_fail)
    return ScalarSubquery(recast(relation, [ordered(column, translation)], translation), ANY, many_fail)


def recast(relation: Relation, wanted: Sequence[Expression], translation: Translation) -> Relation:
    """The relation with each column replaced by an expression over it, where one differs; its affinity stays the column's."""
    if all(expression == column for expression, column in zip(wanted, relation.columns, strict=True)):
        return relation
    alias = translation.alias("converted")
    named = tuple(Named(column.name, expression) for column, expression in zip(relation.columns, wanted, strict=True))
    for column in relation.columns:
        translation.affinities[alias, column.name] = affinity(column, translation)
    return Project(relation, alias, named)
