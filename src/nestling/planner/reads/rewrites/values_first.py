"""Computes the single value of an uncorrelated subquery first, and then reads the rows.

`… FROM customer WHERE balance > (SELECT AVG(balance) FROM customer)` begins with the average. If it were looked up from each
customer, the server would keep the answer but read its pipeline again each time. A comparison with NULL keeps no row, so if the
subquery finds none, none is read.
"""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import JoinKind, Relation
from nestling.ir.statements.expression import Arithmetic, Column, Compare, Expression, Negate, ScalarSubquery
from nestling.ir.statements.operands import conjuncts, has_subquery
from nestling.ir.statements.operators import Comparison
from nestling.planner.reads.rewrites.conjuncts import restricted
from nestling.planner.reads.rewrites.extremes_first import extreme_first
from nestling.planner.reads.rewrites.without_empty_group import without_empty_group
from nestling.planner.reads.traverse import free_columns, rewritten, single, subqueries

_TRUE_OF_NULL = (Comparison.SAME, Comparison.DIFFERENT)


def with_values_first(relation: Relation) -> Relation:
    """The relation joined with sets of values first.

    What is looked up for each of other rows stays as it is, because its own equality comes first.
    """
    match relation:
        case a.Filter():
            return _beside_values(replace(relation, input=with_values_first(relation.input)))
        case a.Project() | a.Sort() | a.LimitOffset() | a.GroupBy() | a.Distinct() | a.Window():
            return replace(relation, input=with_values_first(relation.input))
        case a.Join(kind=JoinKind.INNER | JoinKind.CROSS | JoinKind.LEFT):
            return replace(relation, left=with_values_first(relation.left))
        case _:
            return relation


def _beside_values(relation: a.Filter) -> Relation:
    predicates = conjuncts(relation.predicate)
    found = {each: made for each in predicates if (made := _value_first(each)) is not None}
    if not found or free_columns(relation):
        return relation
    rows = restricted(relation.input, [each for each in predicates if not has_subquery(each)])
    for value in dict.fromkeys(value for value, _ in found.values()):
        rows = a.Join(JoinKind.CROSS, value, rows)
    asked = [condition for _, condition in found.values()]
    return restricted(rows, [*asked, *(each for each in predicates if has_subquery(each) and each not in found)])


def _value_first(predicate: Expression) -> tuple[Relation, Expression] | None:
    """The one row with the value that a condition compares with, and the condition on its columns."""
    value = _compared_subquery(predicate)
    if value is None:
        return extreme_first(predicate)
    return without_empty_group(value.relation), _with_column(predicate, value)


def _compared_subquery(predicate: Expression) -> ScalarSubquery | None:
    """The only subquery of a comparison that is not true when its value is NULL, if it gives one value to all rows."""
    found = list(subqueries(predicate))
    if not isinstance(predicate, Compare) or predicate.operator in _TRUE_OF_NULL:
        return None
    if len(found) != 1 or not isinstance(found[0], ScalarSubquery):
        return None
    relation = found[0].relation
    is_value = _is_part(predicate.left, found[0]) or _is_part(predicate.right, found[0])
    return found[0] if is_value and single(relation) and not free_columns(relation) else None


def _is_part(expression: Expression, value: ScalarSubquery) -> bool:
    """Whether the expression is the value, or arithmetic with it."""
    match expression:
        case Arithmetic(left=left, right=right):
            return _is_part(left, value) or _is_part(right, value)
        case Negate(operand=operand):
            return _is_part(operand, value)
        case _:
            return expression == value


def _with_column(predicate: Expression, value: ScalarSubquery) -> Expression:
    """The predicate, the subquery's column in its place."""
    column: Column = replace(value.relation.columns[0], nullable=True)
    return rewritten(predicate, lambda each: column if each == value else None)
