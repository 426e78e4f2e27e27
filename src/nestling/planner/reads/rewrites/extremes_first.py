"""The one value that decides `>` and the like before ANY and ALL of a subquery: its least or greatest, made before the rows.

`… WHERE fee > ALL (SELECT fee FROM visit)` asks of each row whether its fee is above the greatest: without this, each row is
compared with all others. ALL is true where the subquery finds nothing, and never where it finds a NULL.
"""

from __future__ import annotations

from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import AggregateCall, AggregateFunction, NamedAggregate, Relation
from nestling.ir.statements.expression import And, Compare, Expression, InSubquery, Literal, Not, Or
from nestling.ir.statements.operators import ABOVE, BELOW, Comparison
from nestling.ir.types import INTEGER, NUMBERS, TIMES, TypeName
from nestling.planner.reads.traverse import free_columns

_ORDERED = NUMBERS | TIMES | {TypeName.TEXT}
_ZERO = Literal(0, INTEGER)


def extreme_first(predicate: Expression) -> tuple[Relation, Expression] | None:
    """The one row with that value, or none if there is none, and what is asked of it instead; None for other conditions."""
    is_all = isinstance(predicate, Not)
    inside = predicate.operand if isinstance(predicate, Not) else predicate
    if not isinstance(inside, InSubquery) or inside.operator not in ABOVE | BELOW:
        return None
    (value,) = inside.relation.columns
    if value.type.name not in _ORDERED or value.mixed or free_columns(inside.relation):
        return None
    operator = inside.operator.opposite if is_all else inside.operator
    function = AggregateFunction.MIN if (operator in ABOVE) is not is_all else AggregateFunction.MAX
    extreme = NamedAggregate("value", AggregateCall(function, value, value.type, collation=inside.collation))
    alias = f"extreme of {value.alias}"
    if not is_all:
        keys = (a.Named("all", Literal(1, INTEGER)),)
        found = a.GroupBy(inside.relation, alias, keys, (extreme,))
        return found, Compare(operator, inside.operands[0], found.columns[1], inside.collation)
    counts = (
        NamedAggregate("rows", AggregateCall(AggregateFunction.COUNT, None, INTEGER)),
        NamedAggregate("known", AggregateCall(AggregateFunction.COUNT, value, INTEGER)),
    )
    found = a.GroupBy(inside.relation, alias, (), (extreme, *counts))
    greatest, rows, known = found.columns
    compared = Compare(operator, inside.operands[0], greatest, inside.collation)
    all_known = Compare(Comparison.EQUAL, rows, known)
    return found, Or((Compare(Comparison.EQUAL, rows, _ZERO), And((all_known, compared))))
