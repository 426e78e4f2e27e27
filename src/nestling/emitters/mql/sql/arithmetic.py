"""Arithmetic: SQL's order of operations, its divisions, and NULL where it has no answer.

The server makes one sum or product of nested ones and adds and multiplies its constants first, which changes the last digits of
floats: where that is another order, one inside another is kept apart by an `$ifNull` that does nothing else.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, TypeGuard, assert_never

from nestling.emitters.mql.sql.constants import MqlValue, is_inline, literal_value
from nestling.emitters.mql.sql.gaps import rendering_gap
from nestling.emitters.mql.sql.nulls import bind, both, null_if_any
from nestling.emitters.mql.sql.numerals import integer_of_float, plain_zero
from nestling.emitters.mql.sql.quotient import exact_quotient, scale
from nestling.emitters.mql.write_constants import StoredParameter
from nestling.ir.statements.expression import Arithmetic, Expression, Literal, Negate
from nestling.ir.statements.operands import is_float, is_integer, nullable
from nestling.ir.statements.operators import ArithmeticOperator, Division
from nestling.ir.types import TypeName
from nestling.ir.value_forms.numeral import INT64

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_SUMS = {
    ArithmeticOperator.ADD: "$add",
    ArithmeticOperator.SUBTRACT: "$subtract",
    ArithmeticOperator.MULTIPLY: "$multiply",
}


def arithmetic(node: Arithmetic | Negate, r: Renderer) -> MqlValue:
    """Arithmetic on numbers; NULL when an operand is."""
    if isinstance(node, Negate):
        return {"$subtract": [0, number(node.operand, r)]}
    match node.operator:
        case ArithmeticOperator.ADD | ArithmeticOperator.SUBTRACT | ArithmeticOperator.MULTIPLY:
            return _sum(node, r)
        case ArithmeticOperator.DIVIDE | ArithmeticOperator.MODULO:
            return _division(node, r)
        case (
            ArithmeticOperator.BIT_AND
            | ArithmeticOperator.BIT_OR
            | ArithmeticOperator.SHIFT_LEFT
            | ArithmeticOperator.SHIFT_RIGHT
        ):
            move = "give each bit a column of its own; or select the number, and compute in the application"
            raise rendering_gap(f"the bitwise operator {node.operator.value}", move=move)
        case _:
            assert_never(node.operator)


def number(operand: Expression, r: Renderer) -> MqlValue:
    """An operand. A parameter that is stored may be anything, but must be a number when used in arithmetic."""
    value = r.value(operand)
    match value:  # the server would refuse another value without its name
        case {"$literal": StoredParameter() as given}:
            return {"$literal": replace(given, is_number=True)}
        case _:
            return value


def _sum(node: Arithmetic, r: Renderer) -> MqlValue:
    """A sum or product. A product of decimals may be a signed zero, unless a factor is a positive constant."""
    is_exact = node.type.name is TypeName.DECIMAL and not node.in_order
    is_signed = _is_product(node) and is_exact and not any(map(_is_positive, (node.left, node.right)))
    return plain_zero(_combined(node, r)) if is_signed else _combined(node, r)


def _combined(node: Arithmetic, r: Renderer) -> MqlValue:
    name = _SUMS[node.operator]
    left, right = _operand(node.left, node.right, name, r), _operand(node.right, node.left, name, r)
    if not _in_order(name, left, right, node):
        left = _apart(left, name)
    return {name: [left, _apart(right, name)]}


def _is_product(side: Expression) -> TypeGuard[Arithmetic]:
    return isinstance(side, Arithmetic) and side.operator is ArithmeticOperator.MULTIPLY


def _is_positive(side: Expression) -> bool:
    """Whether it is a constant factor that gives no zero a sign."""
    value = side.value if isinstance(side, Literal) else None
    return isinstance(value, int | float | Decimal) and value > 0


def _operand(side: Expression, other: Expression, name: str, r: Renderer) -> MqlValue:
    """An operand. Next to a float, integers and decimals become floats before the addition; only `$add` sums integers exactly."""
    value = _combined(side, r) if name == "$multiply" and _is_product(side) else number(side, r)
    if is_float(other) and not is_float(side) and not (is_integer(side) and name != "$add"):
        return _as_float(value)
    return value


def _in_order(name: str, left: MqlValue, right: MqlValue, node: Arithmetic) -> bool:
    """Whether one n-ary `$add` or `$multiply` equals operations from left to right: for decimals without a constant."""
    inner = left.get(name) if isinstance(left, dict) else None
    exact = node.left.type.name is TypeName.DECIMAL and not is_float(node.right) and not node.in_order
    return exact and isinstance(inner, list) and all(map(_varies, (*inner, right)))


def _varies(value: MqlValue) -> bool:
    """Whether it holds a field of the documents."""
    match value:
        case str():
            return value.startswith("$") and not value.startswith("$$")
        case {"$literal": _}:
            return False
        case dict():
            return any(map(_varies, value.values()))
        case list():
            return any(map(_varies, value))
        case _:
            return False


def _apart(value: MqlValue, name: str) -> MqlValue:
    return {"$ifNull": [value, None]} if isinstance(value, dict) and name in value and name != "$subtract" else value


def _as_float(value: MqlValue) -> MqlValue:
    """Small integer constants are the same number either way."""
    known = literal_value(value) if is_inline(value) else None
    exact = isinstance(known, int) and not isinstance(known, bool) and abs(known) < 1 << 53
    return value if exact else {"$toDouble": value}


def _division(node: Arithmetic, r: Renderer) -> MqlValue:
    left, right = number(node.left, r), number(node.right, r)
    divisor = literal_value(right) if is_inline(right) else None
    known = isinstance(divisor, int | float) and not isinstance(divisor, bool)
    if known and divisor == 0 and not node.zero_fails:
        return None

    def body(dividend: MqlValue, by: MqlValue) -> MqlValue:
        found = _quotient(node, dividend, by)
        return found if known or node.zero_fails else {"$cond": [{"$eq": [by, 0]}, None, found]}

    return bind({"dividend": left, "by": right}, body)


def _quotient(node: Arithmetic, left: MqlValue, right: MqlValue) -> MqlValue:
    if node.operator is ArithmeticOperator.MODULO:
        pairs = ((node.left, left, node.right), (node.right, right, node.left))
        rest: MqlValue = {"$mod": [_part(side, value, beside=other) for side, value, other in pairs]}
        return plain_zero(rest) if node.type.name is TypeName.DECIMAL else rest
    sides = ((node.left, left), (node.right, right))
    match node.division:
        case Division.REAL | None:
            return {"$divide": [_real(node.left, left), _real(node.right, right)]}
        case Division.INTEGER if any(side.type.name is TypeName.DECIMAL for side, _ in sides):
            return _whole_of_decimals(left, right)
        case Division.INTEGER if node.zero_fails or not any(may_overflow(side) for side, _ in sides):
            return _integer_quotient(left, right, clamp=not node.zero_fails)
        case Division.INTEGER | Division.BY_VALUE:
            values = [value for side, value in sides if not is_integer(side) or may_overflow(side)]
            whole = both(*({"$in": [{"$type": value}, ["int", "long"]]} for value in values))
            return {"$cond": [whole, _integer_quotient(left, right, clamp=True), {"$divide": [left, right]}]}
        case Division.DECIMAL:
            scales = (scale(node.left), scale(node.right))
            found = exact_quotient(left, right, scales, node.type)
            unknown = [value for side, value in sides if nullable(side)]
            return null_if_any(unknown, found)
        case _:
            assert_never(node.division)


def may_overflow(expression: Expression) -> bool:
    """Whether SQLite's integer arithmetic may pass 64 bits here, and go on as a float, as the server's does."""
    match expression:
        case Arithmetic(operator=ArithmeticOperator.ADD | ArithmeticOperator.SUBTRACT | ArithmeticOperator.MULTIPLY):
            return True
        case Negate(operand=operand):
            return not isinstance(operand, Literal)
        case _:
            return False


def _part(side: Expression, value: MqlValue, *, beside: Expression) -> MqlValue:
    """A side of a remainder: with a float both are floats, where the server would use decimals."""
    return _real(side, value) if is_float(beside) else _whole(side, value)


def _whole(side: Expression, value: MqlValue) -> MqlValue:
    """A float that passed 64 bits is an integer again where one is wanted."""
    if not (is_integer(side) and may_overflow(side)):
        return value
    return bind({"whole": value}, lambda x: {"$cond": [{"$eq": [{"$type": x}, "double"]}, integer_of_float(x), x]})


def _real(side: Expression, value: MqlValue) -> MqlValue:
    return {"$toDouble": value} if side.type.name is TypeName.DECIMAL else value


def _whole_of_decimals(left: MqlValue, right: MqlValue) -> MqlValue:
    """How often a decimal goes into another: without the remainder the quotient is exact, where its digits would be rounded."""
    return {"$toLong": {"$divide": [{"$subtract": [left, {"$mod": [left, right]}]}, right]}}


def _integer_quotient(left: MqlValue, right: MqlValue, *, clamp: bool) -> MqlValue:
    """Divide by decimals, which hold every quotient of 64-bit integers. `clamp`: the one that does not fit 64 bits is a float."""
    quotient: MqlValue = {"$trunc": {"$divide": [{"$toDecimal": left}, right]}}
    if clamp:
        return {"$convert": {"input": quotient, "to": "long", "onError": float(INT64 - 1)}}
    return {"$toLong": quotient}
