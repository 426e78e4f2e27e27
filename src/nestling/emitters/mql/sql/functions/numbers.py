"""Functions of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bson import Decimal128

from nestling.emitters.mql.sql.arithmetic import number
from nestling.emitters.mql.sql.constants import MqlValue, as_literal
from nestling.emitters.mql.sql.failures import failure
from nestling.emitters.mql.sql.functions.arguments import constant, over
from nestling.emitters.mql.sql.gaps import no_constant, rendering_gap
from nestling.emitters.mql.sql.nulls import bind
from nestling.emitters.mql.sql.numerals import number_in_full, plain_zero
from nestling.ir.reading import GapKind
from nestling.ir.statements.expression import Call
from nestling.ir.statements.operands import is_float
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import TypeName

if TYPE_CHECKING:
    from collections.abc import Callable

    from nestling.emitters.mql.sql.renderer import Renderer

_NOTHING_TO_ROUND = float(1 << 52)
"""From here on a float has no fraction."""
_MOST_DIGITS = 15
"""A float has no more that mean anything."""
_MOST_EXACT = 19
"""Of so many digits before and after the point SQLite's own rounding is inexact."""
_LOGARITHMS = {Function.LOG10: 2.302585092994046, Function.LOG2: 0.6931471805599453}
"""By what SQLite divides the natural logarithm."""


def absolute(node: Call, r: Renderer) -> MqlValue:
    """The number without its sign."""
    return {"$abs": number(node.arguments[0], r)}


def floor(node: Call, r: Renderer) -> MqlValue:
    """Integers stay integers, floats floats."""
    operator = "$floor" if node.function is Function.FLOOR else "$ceil"
    return _of_decimal(node, {operator: number(node.arguments[0], r)})


def _of_decimal(node: Call, value: MqlValue) -> MqlValue:
    """A number that another database than SQLite has cut off, whose decimals have no negative zero."""
    is_decimal = node.arguments[0].type.name is TypeName.DECIMAL and node.rules is not Rules.SQLITE
    return plain_zero(value) if is_decimal else value


def sign(node: Call, r: Renderer) -> MqlValue:
    """-1, 0 or 1, as a float where the type says so."""
    of_float = node.type.name is TypeName.FLOAT
    return over(node, r, lambda x: {"$toDouble": {"$cmp": [x, 0]}} if of_float else {"$cmp": [x, 0]})


def round_number(node: Call, r: Renderer) -> MqlValue:
    """Half away from zero, where the server rounds half to even."""
    digits = constant(node.arguments[1], r) if len(node.arguments) > 1 else 0
    if digits is None:
        return None
    if not isinstance(digits, int):
        raise no_constant("ROUND to a number of digits that is not a constant", node.arguments[1])
    value = number(node.arguments[0], r)
    if node.rules is Rules.SQLITE:
        return bind({"number": value}, lambda x: _round_sqlite(x, max(0, digits)))
    if is_float(node.arguments[0]):
        if node.rules is Rules.MYSQL and abs(digits) <= _MOST_DIGITS:
            return _round_mysql(value, digits)
        if len(node.arguments) > 1 or node.rules is Rules.MYSQL:
            raise rendering_gap("ROUND of a float to digits")
        return {"$round": [value, 0]}
    return bind({"number": value}, lambda x: _half_away(x, digits))


def _round_mysql(number: MqlValue, digits: int) -> MqlValue:
    """Round as MySQL does with doubles: scale by a power of ten, round to the nearest whole number, ties to even, scale back."""
    power = 10.0 ** abs(digits)
    there, back = ("$multiply", "$divide") if digits >= 0 else ("$divide", "$multiply")

    def rounded(raised: MqlValue) -> MqlValue:
        return {back: [_nearest(raised), power]}

    # Bound, as the server makes one factor of those in a product of a product.
    return bind({"number": number}, lambda x: bind({"raised": {there: [x, power]}}, rounded))


def _nearest(number: MqlValue) -> MqlValue:
    """The nearest whole number as a double. The server's own $round sees fifteen digits of it."""

    def rounded(size: MqlValue, low: MqlValue) -> MqlValue:
        rest = {"$subtract": [size, low]}
        is_low = {"$or": [{"$lt": [rest, 0.5]}, {"$and": [{"$eq": [rest, 0.5]}, {"$eq": [{"$mod": [low, 2]}, 0]}]}]}
        found = {"$cond": [is_low, low, {"$add": [low, 1]}]}
        return {"$cond": [{"$lt": [number, 0]}, {"$multiply": [found, -1]}, found]}

    size = {"$abs": number}
    return bind({"size": size}, lambda x: bind({"low": {"$floor": x}}, lambda low: rounded(x, low)))


def _round_sqlite(number: MqlValue, digits: int) -> MqlValue:
    """To a float, as SQLite 3.40 does: by its own printf, which sees 16 digits and is generous to halves.

    It adds half a unit and 3e-16 of the number itself, then cuts off; decimal sums keep the float's exact value.
    """
    if digits == 0:
        half = {"$cond": [{"$lt": [number, 0]}, -0.5, 0.5]}
        rounded: MqlValue = {"$trunc": {"$add": [{"$toDouble": number}, half]}}
    elif digits > _MOST_DIGITS:
        raise rendering_gap(f"ROUND to more than {_MOST_DIGITS} digits")
    else:
        cut_off = {"$toDouble": bind({"raised": _raised(number, digits)}, lambda x: _cut_off(x, digits))}
        long = {"$gte": [{"$abs": {"$toDouble": number}}, 10.0 ** (_MOST_EXACT - digits)]}
        rounded = {
            "$cond": [
                long,
                failure(f"the exact result is not known of ROUND to {digits} digits of", {"$toString": number}),
                cut_off,
            ]
        }
    large = {"$gt": [{"$abs": {"$toDouble": number}}, _NOTHING_TO_ROUND]}
    return {"$cond": [large, {"$toDouble": number}, rounded]}


def _raised(number: MqlValue, digits: int) -> MqlValue:
    """The number and half a unit; and 3e-16 of it where its digits before and after the point are fewer than 15."""
    room = 15 - digits
    bound = 2.0 ** (3 * room if room > 0 else -2)
    exact = {"$add": [{"$toDouble": number}, Decimal128("0")]}

    def body(x: MqlValue) -> MqlValue:
        half = {"$cond": [{"$lt": [x, 0]}, Decimal128(f"-5E{-digits - 1}"), Decimal128(f"5E{-digits - 1}")]}
        generous = {"$cond": [{"$lt": [{"$abs": x}, bound]}, {"$multiply": [x, Decimal128("3E-16")]}, Decimal128("0")]}
        return {"$add": [x, half, generous]}

    return bind({"exact": exact}, body)


def _cut_off(raised: MqlValue, digits: int) -> MqlValue:
    """After the digits asked for, or 16 in all."""
    size = {"$strLenCP": {"$toString": {"$trunc": {"$abs": raised}}}}
    place = {"$cond": [{"$lt": [{"$abs": raised}, 10.0 ** (16 - digits)]}, digits, {"$subtract": [16, size]}]}
    return {"$trunc": [raised, place]}


def _half_away(number: MqlValue, digits: int) -> MqlValue:
    half = Decimal128(f"5E{-digits - 1}")
    away = {"$cond": [{"$lt": [number, 0]}, Decimal128(f"-{half}"), half]}
    return plain_zero({"$trunc": [{"$add": [number, away]}, digits]})


def truncate(node: Call, r: Renderer) -> MqlValue:
    """A number truncated towards zero."""
    digits = constant(node.arguments[1], r) if len(node.arguments) > 1 else 0
    if not isinstance(digits, int) or (digits and is_float(node.arguments[0])):
        raise no_constant(
            "TRUNC of a float to digits, or to a number of digits that is not a constant", *node.arguments[1:]
        )
    return _of_decimal(node, {"$trunc": [r.value(node.arguments[0]), digits]})


def square_root(node: Call, r: Renderer) -> MqlValue:
    """The square root. A negative number gives NULL, and an error in PostgreSQL."""
    _refuse_exact(node)
    return _where_known(node, r, lambda x: {"$gte": [x, 0]}, lambda x: {"$sqrt": {"$toDouble": x}})


def logarithm(node: Call, r: Renderer) -> MqlValue:
    """The logarithm. A number that is not positive gives NULL, and an error in PostgreSQL."""
    _refuse_exact(node)
    if node.function is Function.LOG2 and node.rules is not Rules.SQLITE:
        raise rendering_gap("LOG2: the server's is inexact in its last digit", GapKind.NEVER)

    def found(x: MqlValue) -> MqlValue:
        if node.function is Function.LOG10 and node.rules is not Rules.SQLITE:
            return {"$log10": x}
        natural = {"$ln": {"$toDouble": x}}
        return natural if node.function is Function.LN else {"$divide": [natural, _LOGARITHMS[node.function]]}

    return _where_known(node, r, lambda x: {"$gt": [x, 0]}, found)


def _where_known(
    node: Call, r: Renderer, test: Callable[[MqlValue], MqlValue], found: Callable[[MqlValue], MqlValue]
) -> MqlValue:
    value = r.value(node.arguments[0])
    if node.rules is Rules.POSTGRESQL:
        return found(value)
    return bind({"number": as_literal(value)}, lambda x: {"$cond": [test(x), found(x), None]})


def exponential(node: Call, r: Renderer) -> MqlValue:
    """Euler's number to the power of the number."""
    _refuse_exact(node)
    return {"$exp": {"$toDouble": r.value(node.arguments[0])}}


def power(node: Call, r: Renderer) -> MqlValue:
    """A power, as a float. In SQLite zero to a negative power is infinity, and what is not real is NULL; elsewhere both fail."""
    _refuse_exact(node)
    if node.rules is not Rules.SQLITE:
        raise rendering_gap(f"POWER as {node.rules.value} does it, to the last digit; for a square write `x * x`")

    def body(base: MqlValue, exponent: MqlValue) -> MqlValue:
        raised = bind(
            {"raised": {"$pow": [{"$toDouble": base}, {"$toDouble": exponent}]}},
            _null_for_nan,
        )
        infinite = {"$and": [{"$eq": [base, 0]}, {"$lt": [exponent, 0]}]}
        return {"$cond": [infinite, float("inf"), raised]}

    return over(node, r, body)


def number_of(node: Call, r: Renderer) -> MqlValue:
    """SQLite's number of a value: a number stays, a text that is wholly a number becomes it, other texts and bytes give NULL."""

    def body(x: MqlValue) -> MqlValue:
        of_text = {"$cond": [{"$eq": [{"$type": x}, "string"]}, number_in_full(x), None]}
        return {"$cond": [{"$isNumber": x}, x, of_text]}

    return bind({"value": r.value(node.arguments[0])}, body)


def float_mod(node: Call, r: Renderer) -> MqlValue:
    """The remainder of a float division; NULL for a division by zero and of infinity."""

    def body(dividend: MqlValue, by: MqlValue) -> MqlValue:
        found = {"$mod": [{"$toDouble": dividend}, {"$toDouble": by}]}
        return {"$cond": [{"$eq": [by, 0]}, None, bind({"left": found}, _null_for_nan)]}

    return over(node, r, body)


def _null_for_nan(number: MqlValue) -> MqlValue:
    return {"$cond": [{"$eq": [number, float("nan")]}, None, number]}


def _refuse_exact(node: Call) -> None:
    """PostgreSQL's numeric has functions of its own, with results of many digits."""
    if node.rules is not Rules.SQLITE and any(argument.type.name is TypeName.DECIMAL for argument in node.arguments):
        what = f"{node.function.value} of an exact decimal"
        raise rendering_gap(
            what, move="for a whole exponent, write the product: `x * x`; or compute it in the application"
        )


def random(node: Call, r: Renderer) -> MqlValue:  # noqa: ARG001 - one signature for all functions
    """A random number from 0 to 1."""
    return {"$rand": {}}


NUMBERS = {
    Function.RANDOM: random,
    Function.ABS: absolute,
    Function.FLOOR: floor,
    Function.CEILING: floor,
    Function.SIGN: sign,
    Function.ROUND: round_number,
    Function.TRUNCATE: truncate,
    Function.SQRT: square_root,
    Function.LN: logarithm,
    Function.LOG10: logarithm,
    Function.LOG2: logarithm,
    Function.EXP: exponential,
    Function.POWER: power,
    Function.NUMBER_OF: number_of,
    Function.FLOAT_MOD: float_mod,
}
