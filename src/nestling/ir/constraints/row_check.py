"""A CHECK over a row's columns: a condition that no row makes false; one that NULL leaves unknown is satisfied.

Its condition has few kinds of nodes: comparisons of columns, constants and sums, IS NULL, IN, AND, OR and NOT of these, and
whether two of these are equal. IS NULL expresses what treats NULL as a value. Its columns have no alias and no type: the
entity knows both (`over` of `nestling.ir.statements.columns`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from operator import add, eq, ge, gt, le, lt, mul, ne, sub
from typing import Any

from nestling.common.errors import InputError, Problem
from nestling.ir.constraints.condition_text import condition_text
from nestling.ir.constraints.known_truth import same
from nestling.ir.statements.expression import (
    ANY,
    And,
    Arithmetic,
    Cast,
    Column,
    Compare,
    Expression,
    InList,
    IsNull,
    Literal,
    Negate,
    Not,
    Or,
    Raw,
)
from nestling.ir.statements.operands import column_names, is_condition
from nestling.ir.statements.operators import ArithmeticOperator, Collation, Comparison
from nestling.ir.types import BOOLEAN, FLOAT, INTEGER, TEXT, Type, TypeName
from nestling.ir.value_forms.numeral import INT64

_COMPARED: Mapping[Comparison, Callable[[Any, Any], bool]] = {
    Comparison.EQUAL: eq,
    Comparison.NOT_EQUAL: ne,
    Comparison.LESS: lt,
    Comparison.LESS_OR_EQUAL: le,
    Comparison.GREATER: gt,
    Comparison.GREATER_OR_EQUAL: ge,
}
_ARITHMETIC: Mapping[ArithmeticOperator, Callable[[Any, Any], Any]] = {
    ArithmeticOperator.ADD: add,
    ArithmeticOperator.SUBTRACT: sub,
    ArithmeticOperator.MULTIPLY: mul,
}
_SAME_VALUES = frozenset(
    {(TypeName.TEXT, TypeName.TEXT), (TypeName.INTEGER, TypeName.INTEGER), (TypeName.INTEGER, TypeName.DECIMAL)}
)
"""Casts that leave every value what it is, which PostgreSQL shows in what it was given."""


@dataclass(frozen=True, slots=True)
class RowCheck:
    """A condition that rows keep, and the constraint's name; empty when it was given none."""

    name: str
    condition: Expression

    @property
    def columns(self) -> tuple[str, ...]:
        """The attributes it is about, each once."""
        return column_names(self.condition)

    def lets_in(self, row: Mapping[str, object]) -> bool:
        """Whether a row of conceptual values keeps it; what is unknown passes."""
        return truth_of(self.condition, row) is not False

    def __str__(self) -> str:
        """The check as DDL writes it: `CHECK period (low < high)`."""
        return f"CHECK {self.name} ({condition_text(self.condition)})".replace("  ", " ", 1)


class _NotPlain(Exception):
    """Raised where an expression is none that a `RowCheck` holds."""


def plain_condition(expression: Expression) -> Expression | None:
    """The condition in the normal form of a `RowCheck`; None if it has none."""
    try:
        return _condition(expression)
    except (_NotPlain, InputError):
        return None


def _condition(expression: Expression) -> Expression:
    match expression:
        case And(operands=parts):
            return And(tuple(_flat(And, parts)))
        case Or(operands=parts):
            return Or(tuple(_flat(Or, parts)))
        case Not(operand=operand):
            return Not(_condition(operand))
        case IsNull(operand=operand):
            return IsNull(_column(operand))
        case Compare(operator=operator, left=left, right=right, collation=Collation.BINARY):
            return _comparison(operator, _side(left), _side(right))
        case InList(operand=operand, items=items, collation=Collation.BINARY) if items:
            return InList(_operand(operand), tuple(map(_constant, items)))
        case Literal(value=bool()):
            return _constant(expression)
        case Column():
            return _column(expression)
        case _:
            raise _NotPlain


def _flat(kind: type[And | Or], parts: tuple[Expression, ...]) -> Iterator[Expression]:
    for part in map(_condition, parts):
        if isinstance(part, kind):
            yield from part.operands
        else:
            yield part


def _side(expression: Expression) -> Expression:
    """What is compared: a value, or whether a condition holds, which may be a number in its dialect."""
    if isinstance(expression, Cast | Raw) and expression.operand.type == BOOLEAN:
        return _condition(expression.operand)
    return _condition(expression) if is_condition(expression) else _operand(expression)


def _comparison(operator: Comparison, left: Expression, right: Expression) -> Expression:
    if operator is Comparison.SAME:
        return same(left, right)
    if operator is Comparison.DIFFERENT:
        return Not(same(left, right))
    if operator not in (Comparison.EQUAL, Comparison.NOT_EQUAL) and (is_condition(left) or is_condition(right)):
        raise _NotPlain
    return Compare(operator, left, right)


def _operand(expression: Expression) -> Expression:
    match expression:
        case Arithmetic(operator=operator, division=None) if operator in _ARITHMETIC:
            return Arithmetic(operator, _operand(expression.left), _operand(expression.right), ANY)
        case Literal() | Negate():
            return _constant(expression)
        case Cast(operand=operand, type=kind) if not kind.numbers and (operand.type.name, kind.name) in _SAME_VALUES:
            return _operand(operand)
        case _:
            return _column(expression)


def _column(expression: Expression) -> Column:
    while isinstance(expression, Cast) and (expression.operand.type.name, expression.type.name) in _SAME_VALUES:
        expression = expression.operand
    if not isinstance(expression, Column):
        raise _NotPlain
    return Column("", expression.name, ANY)


def _constant(expression: Expression) -> Literal:
    match expression:
        case Negate(operand=operand):
            found = _constant(operand)
            if isinstance(found.value, bool | str):
                raise _NotPlain
            return constant(-found.value)  # type: ignore[operator]
        case Literal(value=bool() | int() | float() | Decimal() | str() as value):
            return constant(value)
        case Cast(operand=operand, type=kind) if not kind.numbers and (operand.type.name, kind.name) in _SAME_VALUES:
            return _constant(operand)
        case _:
            raise _NotPlain


def constant(value: bool | float | Decimal | str) -> Literal:
    """A constant of a condition; raises `InputError` for a number without end."""
    match value:
        case bool():
            return Literal(value, BOOLEAN)
        case str():
            return Literal(value, TEXT)
        case int():
            return Literal(value, INTEGER)
        case _ if not isfinite(value):
            raise InputError(Problem(f"`{value}` is not a number that values can be compared with"))
        case Decimal():
            return Literal(value.normalize(), Type(TypeName.DECIMAL))
        case _:
            return Literal(value, FLOAT)


def truth_of(condition: Expression, row: Mapping[str, object]) -> bool | None:
    """Whether a condition is true of a row of conceptual values; None is unknown."""
    found: bool | None = _value(condition, row)
    return found


def _value(expression: Expression, row: Mapping[str, object]) -> Any:
    """A condition's truth, or an operand's value; None is NULL."""
    match expression:
        case Literal(value=value):
            return value
        case Column(name=name):
            return row.get(name)
        case IsNull(operand=operand):
            return _value(operand, row) is None
        case Not(operand=operand):
            found = _value(operand, row)
            return None if found is None else not found
        case And(operands=parts):
            found = [_value(part, row) for part in parts]
            return False if False in found else None if None in found else True
        case Or(operands=parts):
            found = [_value(part, row) for part in parts]
            return True if True in found else None if None in found else False
        case InList(operand=operand, items=items):
            return _value(Or(tuple(Compare(Comparison.EQUAL, operand, item) for item in items)), row)
        case Compare(operator=operator, left=left, right=right):
            return _applied(_COMPARED[operator], left, right, row)
        case Arithmetic(operator=operator, left=left, right=right):
            found = _applied(_ARITHMETIC[operator], left, right, row)
            is_beyond = isinstance(found, int) and not -INT64 <= found < INT64
            return float(found) if is_beyond else found  # as SQLite and MongoDB have it
        case _:
            raise _NotPlain


def _applied(
    function: Callable[[Any, Any], Any], left: Expression, right: Expression, row: Mapping[str, object]
) -> Any:
    one, other = _value(left, row), _value(right, row)
    if one is None or other is None:
        return None
    try:
        return function(one, other)
    except TypeError:  # values of two kinds: the source itself compares them in ways of its own
        return None
