"""How many digits PostgreSQL's exact numbers show: a value computed from columns with a scale has a scale, too.

A text of a number has exactly the digits after its point. How many there may be before it is known as well: what exceeds the 34
digits of a Decimal128 is rounded there.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TypeAlias

from nestling.ir.statements.algebra import AggregateFunction, WindowOnly
from nestling.ir.statements.expression import Arithmetic, Call, Cast, Column, Expression, Literal, Negate, Parameter
from nestling.ir.statements.operators import ArithmeticOperator, Function, Rules
from nestling.ir.types import Type, TypeName
from nestling.ir.value_forms.decimal128 import DIGITS, INTEGER_DIGITS, digits_of
from nestling.planner.sql.scope import Translation

_Digits: TypeAlias = tuple[int, int | None]
"""Before the point at most, and after it exactly; None where each value has its own, as a quotient."""

_OF_A_COUNT = 10
"""By so many digits a sum may be longer than each of its values."""
_WHOLE = (Function.FLOOR, Function.CEILING, Function.SIGN)
_CUT = (Function.ROUND, Function.TRUNCATE)


def note(
    found: Column, function: AggregateFunction | WindowOnly, argument: Expression | None, translation: Translation
) -> None:
    """Remember the digits of a sum, which has those of its argument after the point, and of an average."""
    is_postgresql = translation.dialect.rules is Rules.POSTGRESQL and found.type.name is TypeName.DECIMAL
    digits = _digits(argument, translation) if argument is not None and is_postgresql else None
    if digits is not None and function is AggregateFunction.SUM:
        translation.digits[found.alias, found.name] = (digits[0] + _OF_A_COUNT, digits[1])
    elif digits is not None and function is AggregateFunction.AVG:
        translation.digits[found.alias, found.name] = (digits[0], None)


def with_digits(number: Expression, translation: Translation) -> Expression:
    """A decimal whose type says its digits, where they are known."""
    if number.type.name is not TypeName.DECIMAL or not isinstance(number, Arithmetic | Negate | Call | Cast | Column):
        return number
    found = _digits(number, translation)
    if found is None or found[1] is None or _passes(found):
        return replace(number, type=Type(TypeName.DECIMAL))
    return replace(number, type=Type(TypeName.DECIMAL, (found[0] + found[1], found[1])))


def _passes(digits: _Digits) -> bool:
    """Whether they are more than a Decimal128 has."""
    return digits[0] + (digits[1] or 0) > DIGITS


def _digits(number: Expression, translation: Translation) -> _Digits | None:
    match number:
        case Literal(value=int() | Decimal() as value):
            return digits_of(value)
        case Arithmetic(operator=operator, left=left, right=right, type=kind) if kind.name is TypeName.DECIMAL:
            return _computed(operator, _digits(left, translation), _digits(right, translation))
        case Negate(operand=operand) | Call(function=Function.ABS, arguments=(operand,)):
            return _digits(operand, translation)
        case Call(function=function, arguments=(operand, *rest)) if function in (*_WHOLE, *_CUT):
            return _cut(_digits(operand, translation), rest[0] if rest else Literal(0, number.type))
        case Cast(operand=operand, type=Type(name=TypeName.DECIMAL, numbers=())):
            return _digits(operand, translation)
        case Column() if (number.alias, number.name) in translation.digits:
            return translation.digits[number.alias, number.name]
        case Call() | Arithmetic():
            return (INTEGER_DIGITS, 0) if number.type.name is TypeName.INTEGER else None
        case Parameter():  # which is given with digits of its own
            return None
        case _:
            return _declared(number.type)


def _declared(kind: Type) -> _Digits | None:
    match kind:
        case Type(name=TypeName.INTEGER):
            return INTEGER_DIGITS, 0
        case Type(name=TypeName.DECIMAL, numbers=(precision, *scale)):
            after = scale[0] if scale else 0
            return precision - after, after
        case _:
            return None


def _computed(operator: ArithmeticOperator, one: _Digits | None, other: _Digits | None) -> _Digits | None:
    if one is None or other is None:
        return None
    (before, after), (less, more) = one, other
    match operator:
        case ArithmeticOperator.MULTIPLY:
            found: _Digits = before + less, after + more if after is not None and more is not None else None
        case ArithmeticOperator.ADD | ArithmeticOperator.SUBTRACT:
            found = max(before, less) + 1, max(after, more) if after is not None and more is not None else None
        case ArithmeticOperator.DIVIDE if more is not None:
            found = before + more, None
        case _:
            return None
    return None if _passes(found) else found


def _cut(digits: _Digits | None, places: Expression) -> _Digits | None:
    """What is rounded to so many places, if these are known: one more digit may stand before the point."""
    if digits is None or not isinstance(places, Literal) or not isinstance(places.value, int):
        return None
    found = digits[0] + 1, max(places.value, 0)
    return None if _passes(found) else found
