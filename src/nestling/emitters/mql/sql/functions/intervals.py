"""A moment minus another: the interval PostgreSQL shows, as intervals are kept, a duration of ISO 8601 with days and a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.constants import MqlValue
from nestling.emitters.mql.sql.functions.times import units_between
from nestling.emitters.mql.sql.nulls import bind
from nestling.ir.statements.expression import Call, Literal
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import INTEGER, TEXT

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_SECOND = 1_000_000
_UNITS = (("H", 3600 * _SECOND, 24), ("M", 60 * _SECOND, 60))
"""A letter, the microseconds of one, and how many the next larger unit has."""
_DAY = 24 * 3600 * _SECOND


def time_between(node: Call, r: Renderer) -> MqlValue:
    """The text; each part has the sign of the whole."""
    passed = Call(Function.UNITS_BETWEEN, (Literal("microsecond", TEXT), *node.arguments), INTEGER, Rules.POSTGRESQL)

    def body(micros: MqlValue) -> MqlValue:
        sign = {"$cond": [{"$lt": [micros, 0]}, "-", ""]}
        return {
            "$switch": {
                "branches": [
                    {"case": {"$lte": [micros, None]}, "then": None},
                    {"case": {"$eq": [micros, 0]}, "then": "PT0S"},
                ],
                "default": bind({"size": {"$abs": micros}, "sign": sign}, _text),
            }
        }

    return bind({"micros": units_between(passed, r)}, body)


def _text(size: MqlValue, sign: MqlValue) -> MqlValue:
    rest = {"$mod": [size, _DAY]}
    days = _part(sign, _times(size, _DAY), "D")
    time = [_part(sign, {"$mod": [_times(size, micros), most]}, letter) for letter, micros, most in _UNITS]
    clock = {"$cond": [{"$eq": [rest, 0]}, "", {"$concat": ["T", *time, _seconds(size, sign)]}]}
    return {"$concat": ["P", days, clock]}


def _times(size: MqlValue, micros: int) -> MqlValue:
    return {"$toLong": {"$divide": [{"$subtract": [size, {"$mod": [size, micros]}]}, micros]}}


def _part(sign: MqlValue, number: MqlValue, letter: str) -> MqlValue:
    def body(number: MqlValue) -> MqlValue:
        return {"$cond": [{"$eq": [number, 0]}, "", {"$concat": [sign, {"$toString": number}, letter]}]}

    return bind({"number": number}, body)


def _seconds(size: MqlValue, sign: MqlValue) -> MqlValue:
    """Seconds with a fraction, which has no zeros at its end."""

    def body(micros: MqlValue) -> MqlValue:
        digits = {"$toString": {"$add": [{"$mod": [micros, _SECOND]}, _SECOND]}}  # a digit more in front
        fraction = {"$rtrim": {"input": {"$substrCP": [digits, 1, 6]}, "chars": "0"}}
        point = {"$cond": [{"$eq": [{"$mod": [micros, _SECOND]}, 0]}, "", {"$concat": [".", fraction]}]}
        whole = {"$toString": _times(micros, _SECOND)}
        return {"$cond": [{"$eq": [micros, 0]}, "", {"$concat": [sign, whole, point, "S"]}]}

    return bind({"micros": {"$mod": [size, 60 * _SECOND]}}, body)


INTERVALS = {Function.TIME_BETWEEN: time_between}
