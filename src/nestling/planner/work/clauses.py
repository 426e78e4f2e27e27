"""What a predicate says whatever the parameters are, and which share of documents fulfils what a partial index asks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nestling.ir.paths.row_steps import VARIABLE, Layout
from nestling.ir.situation.shares import share_by
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.statements.expression import Column, Compare, Expression, IsNull, Literal, Not
from nestling.ir.statements.operands import columns_of
from nestling.ir.statements.operators import Comparison
from nestling.ir.statistics import AttributeStatistics, Quantity
from nestling.planner.known.ranges import column_in, value_of
from nestling.planner.known.values import PathStatistics

_COMPARED = {
    Comparison.EQUAL: ClauseOperator.EQUAL,
    Comparison.SAME: ClauseOperator.EQUAL,
    Comparison.LESS: ClauseOperator.LESS,
    Comparison.LESS_OR_EQUAL: ClauseOperator.LESS_OR_EQUAL,
    Comparison.GREATER: ClauseOperator.GREATER,
    Comparison.GREATER_OR_EQUAL: ClauseOperator.GREATER_OR_EQUAL,
}
_UNKNOWN = PathStatistics()


def clause(predicate: Expression, layout: Layout) -> Clause | None:
    """A comparison of one path with a literal, or that it has a value, as it equals one; None where it is another thing."""
    match predicate:
        case Compare(operator=operator, left=left, right=right) if operator in _COMPARED:
            value = value_of(right, {})
            path = _path(left, layout)
            if path and isinstance(value, str | int):
                return Clause(path, _COMPARED[operator], value)
            is_given = path and operator is Comparison.EQUAL and not [*columns_of(right)]
            return Clause(path, ClauseOperator.PRESENT) if is_given else None
        case IsNull(operand=operand):
            path = _path(operand, layout)
            return Clause(path, ClauseOperator.NULL) if path else None
        case Not(operand=operand):
            said = clause(operand, layout)
            if said is not None and said.comparison is ClauseOperator.NULL:
                return Clause(said.name, ClauseOperator.PRESENT)
            return Clause(said.name, ClauseOperator.EQUAL, False) if said is not None and said.value is True else None
        case Column() | Literal():
            path = _path(predicate, layout)
            return Clause(path, ClauseOperator.EQUAL, True) if path else None
        case _:
            return None


def share_within(partial: Iterable[Clause], known: Mapping[str, PathStatistics]) -> float:
    """The share of documents that fulfil all of it, 1 where it is not known."""
    found = share_by(lambda path: _as_statistics(known.get(path, _UNKNOWN)), partial)
    return 1.0 if found is None else found


def _as_statistics(known: PathStatistics) -> AttributeStatistics:
    distinct = Quantity(known.distinct) if known.distinct is not None else None
    return AttributeStatistics(distinct=distinct, null_share=Quantity(known.missing), values=known.values)


def _path(expression: Expression, layout: Layout) -> str:
    column = column_in(expression)
    if column is None or column not in layout:
        return ""
    path = layout.path(column)
    return "" if path.startswith(VARIABLE) else path
