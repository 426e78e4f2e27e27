"""Exact division: the quotients of PostgreSQL's and MySQL's decimals, rounded where each database rounds them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from typing import cast

from bson import Decimal128

from nestling.emitters.mql.sql.constants import MqlValue
from nestling.emitters.mql.sql.failures import failure
from nestling.emitters.mql.sql.nulls import bind
from nestling.emitters.mql.sql.numerals import plain_zero
from nestling.ir.statements.expression import Arithmetic, Call, Cast, Expression, Literal, Negate
from nestling.ir.statements.operators import ArithmeticOperator, Function
from nestling.ir.types import Type, TypeName

_MOST = Decimal128("1E33")
_SIGNIFICANT = 16
"""Digits PostgreSQL's quotients have at least (NUMERIC_MIN_SIG_DIGITS)."""


def scale(expression: Expression) -> int | None:
    """Digits after the point; None if only the values show that, as for a decimal declared without any."""
    match expression:
        case Literal(value=Decimal() as value):
            return max(0, -cast("int", value.as_tuple().exponent))
        case Arithmetic(operator=ArithmeticOperator.ADD | ArithmeticOperator.SUBTRACT, left=left, right=right):
            return _together(max, scale(left), scale(right))
        case Arithmetic(operator=ArithmeticOperator.MULTIPLY, left=left, right=right):
            return _together(operator.add, scale(left), scale(right))
        case Negate(operand=operand) | Call(function=Function.ABS, arguments=(operand,)):
            return scale(operand)
        case Cast() if expression.type.name is TypeName.DECIMAL and not expression.type.numbers:
            return scale(expression.operand)
        case _ if expression.type.name is TypeName.INTEGER:
            return 0
        case _ if expression.type.name is TypeName.DECIMAL and expression.type.numbers:
            return (*expression.type.numbers, 0)[1]
        case _:
            return None


def _together(combine: Callable[[int, int], int], one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else combine(one, other)


def exact_quotient(left: MqlValue, right: MqlValue, scales: tuple[int | None, int | None], kind: Type) -> MqlValue:
    """Left divided by right, both simple expressions.

    MySQL's result is cut off after the digits of its type; PostgreSQL's type declares none, and the result has at least 16
    significant digits, and at least as many decimals as each operand.
    """
    quotient: MqlValue = {"$divide": [{"$toDecimal": left}, right]}
    if kind.numbers:
        return plain_zero({"$trunc": [quotient, kind.numbers[-1]]})
    return bind({"quotient": quotient, "digits": _decimals(left, right, scales)}, _rounded)


def exact_spread(
    sums: tuple[MqlValue, MqlValue, MqlValue], scale_of_each: int | None, *, is_sample: bool, is_variance: bool
) -> MqlValue:
    """PostgreSQL's variance, or its root, of exact numbers, from their sum, the sum of their squares and their count.

    It fails if the server's 34 digits cannot hold the dividend.
    """
    total, squares, number = sums
    others = {"$subtract": [number, 1]} if is_sample else number
    scales = (None if scale_of_each is None else 2 * scale_of_each, 0)

    def divided(above: MqlValue, below: MqlValue) -> MqlValue:
        quotient: MqlValue = {"$divide": [above, below]}
        rounded = bind({"quotient": quotient, "digits": _decimals(above, below, scales)}, rooted)
        return {"$cond": [{"$lte": [above, 0]}, Decimal128("0"), rounded]}

    def rooted(number: MqlValue, digits: MqlValue) -> MqlValue:
        variance = _rounded(number, digits)
        return variance if is_variance else bind({"root": {"$sqrt": variance}}, lambda x: _rounded(x, digits))

    def whole(product: MqlValue) -> MqlValue:
        above = {"$subtract": [product, {"$multiply": [total, total]}]}
        below = {"$toDecimal": {"$multiply": [number, others]}}
        size = {"$multiply": [product, _power_of_ten(_scale_of(product) if scales[0] is None else scales[0])]}
        too_long = failure(
            "a variance of numbers with more digits than the server computes with", {"$toString": product}
        )
        return {"$cond": [{"$gte": [size, _MOST]}, too_long, bind({"above": above, "below": below}, divided)]}

    return bind({"product": {"$multiply": [squares, number]}}, whole)


def _decimals(left: MqlValue, right: MqlValue, scales: tuple[int | None, int | None]) -> MqlValue:
    """How many decimals PostgreSQL gives a quotient."""
    known = [each for each in scales if each is not None]
    least: list[MqlValue] = [
        _scale_of(value) for value, each in zip((left, right), scales, strict=True) if each is None
    ]
    least += [max(known)] if known else []
    return _digits(left, right, least)


def _scale_of(number: MqlValue) -> MqlValue:
    """The digits of a value after the point: like PostgreSQL's, the server's decimals keep them as written."""
    parts: MqlValue = {"$split": [{"$toString": {"$toDecimal": number}}, "E"]}

    def body(parts: MqlValue) -> MqlValue:
        after: MqlValue = {"$arrayElemAt": [{"$split": [{"$arrayElemAt": [parts, 0]}, "."]}, 1]}
        exponent: MqlValue = {"$toInt": {"$ifNull": [{"$arrayElemAt": [parts, 1]}, "0"]}}
        return {"$subtract": [{"$strLenCP": {"$ifNull": [after, ""]}}, exponent]}

    return bind({"parts": parts}, body)


def _digits(left: MqlValue, right: MqlValue, least: list[MqlValue]) -> MqlValue:
    """PostgreSQL counts in groups of four digits, and takes the quotient for small when the first group does not decide."""
    return bind(
        {"weight1": _weight(left), "weight2": _weight(right)},
        lambda one, two: {"$max": [_wanted({"$subtract": [one, two]}, _smaller(left, one, right, two)), *least, 0]},
    )


def _wanted(groups: MqlValue, smaller: MqlValue) -> MqlValue:
    return {"$subtract": [_SIGNIFICANT, {"$multiply": [4, {"$subtract": [groups, smaller]}]}]}


def _weight(number: MqlValue) -> MqlValue:
    """The place of the first group of four digits; 0 for zero."""
    size = {"$log10": {"$abs": {"$toDecimal": number}}}
    return {"$cond": [{"$eq": [number, 0]}, 0, {"$toInt": {"$floor": {"$divide": [{"$floor": size}, 4]}}}]}


def _smaller(left: MqlValue, one: MqlValue, right: MqlValue, two: MqlValue) -> MqlValue:
    return {"$cond": [{"$lte": [_group(left, one), _group(right, two)]}, 1, 0]}


def _group(number: MqlValue, weight: MqlValue) -> MqlValue:
    """The first group of four digits."""
    shift = _power_of_ten({"$multiply": [-4, weight]})
    return {"$trunc": {"$multiply": [{"$abs": {"$toDecimal": number}}, shift]}}


def _power_of_ten(exponent: MqlValue) -> MqlValue:
    """A power of ten, made from its text, as the server's `$pow` of decimals gives 0 for 10 to the power of 0."""
    return {"$toDecimal": {"$concat": ["1E", {"$toString": {"$toInt": exponent}}]}}


def _rounded(number: MqlValue, digits: MqlValue) -> MqlValue:
    """Half away from zero."""
    unit = _power_of_ten({"$subtract": [0, digits]})
    half = {"$multiply": [{"$cmp": [number, 0]}, Decimal128("0.5"), unit]}
    return plain_zero({"$trunc": [{"$add": [number, half]}, digits]})
