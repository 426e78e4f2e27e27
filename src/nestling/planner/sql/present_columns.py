"""Columns that conditions leave no NULLs in, and orders that need no place for NULLs because of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from nestling.ir.paths.row_steps import ColumnId
from nestling.ir.statements.algebra import (
    Distinct,
    Filter,
    GroupBy,
    Join,
    JoinKind,
    LimitOffset,
    Project,
    Relation,
    Sort,
    SortKey,
    Window,
)
from nestling.ir.statements.expression import (
    And,
    Column,
    Compare,
    Expression,
    InList,
    InSubquery,
    IsNull,
    Like,
    Not,
    Or,
)
from nestling.ir.statements.operands import bare
from nestling.ir.statements.operators import Comparison

_NONE: frozenset[ColumnId] = frozenset()


def with_least_nulls(keys: Iterable[SortKey], rows: Relation) -> list[SortKey]:
    """The keys, NULLs where the server has them (least of all values) for those that are never NULL in the rows."""
    present = present_columns(rows)
    return [replace(key, nulls_first=not key.descending) if _columns(key.expression) & present else key for key in keys]


def present_columns(rows: Relation) -> frozenset[ColumnId]:
    """Columns of the rows that conditions on them say are not NULL."""
    match rows:
        case Filter():
            return present_columns(rows.input) | _if_true(rows.predicate)
        case Join(kind=JoinKind.INNER | JoinKind.CROSS):
            sides = present_columns(rows.left) | present_columns(rows.right)
            return sides if rows.condition is None else sides | _if_true(rows.condition)
        case Join(kind=JoinKind.LEFT):
            return present_columns(rows.left)
        case Join(kind=JoinKind.RIGHT):
            return present_columns(rows.right)
        case Sort() | LimitOffset() | Distinct() | Window():
            return present_columns(rows.input)
        case Project(outputs=outputs) | GroupBy(keys=outputs):
            inside = present_columns(rows.input)
            return frozenset((rows.alias, each.name) for each in outputs if _columns(each.expression) & inside)
        case _:
            return _NONE


def _if_true(predicate: Expression) -> frozenset[ColumnId]:
    """Columns that are not NULL where the predicate is true."""
    match predicate:
        case And(operands=operands):
            return _NONE.union(*map(_if_true, operands))
        case Or(operands=operands):
            first, *others = map(_if_true, operands)
            return first.intersection(*others)
        case Not(operand=IsNull(operand=operand)):
            return _columns(operand)
        case Not(operand=Compare() | Like() as compared):  # which is false, and so not NULL
            return _if_true(compared)
        case Compare(operator=Comparison.SAME | Comparison.DIFFERENT):
            return _NONE
        case Compare(left=left, right=right) | Like(operand=left, pattern=right):
            return _columns(left, right)
        case InList(operand=operand):
            return _columns(operand)
        case InSubquery(operands=operands):
            return _columns(*operands)
        case _:
            return _NONE


def _columns(*sides: Expression) -> frozenset[ColumnId]:
    """The sides that are columns, whatever their values are converted to."""
    found = map(bare, sides)
    return frozenset((column.alias, column.name) for column in found if isinstance(column, Column))
