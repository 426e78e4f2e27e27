"""A moment with so many digits of a second, as the server computes it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.constants import MqlValue
from nestling.emitters.mql.sql.functions.arguments import constant
from nestling.emitters.mql.sql.functions.time_values import instant
from nestling.emitters.mql.sql.nulls import bind
from nestling.ir.fraction import Fraction
from nestling.ir.programs.compiled import SERVER_TIME
from nestling.ir.statements.expression import Call
from nestling.ir.statements.operators import Rules
from nestling.ir.types import BSON_DIGITS

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_2000 = datetime(2000, 1, 1)  # noqa: DTZ001 - naive means UTC in BSON


def of_fraction(time: MqlValue, fraction: Fraction, rules: Rules) -> MqlValue:
    """The date with the declared digits; halfway, PostgreSQL rounds away from the year 2000, MySQL up."""
    if fraction.digits >= BSON_DIGITS:
        return time
    step = 10 ** (BSON_DIGITS - fraction.digits)
    if fraction.cut:
        return _cut(time, step)
    half = step // 2
    if rules is not Rules.POSTGRESQL or time == SERVER_TIME:
        return _cut({"$add": [time, half]}, step)
    return bind({"time": time}, lambda x: _cut({"$add": [x, {"$cond": [{"$lt": [x, _2000]}, half - 1, half]}]}, step))


def _cut(time: MqlValue, step: int) -> MqlValue:
    if step == 1000:
        return {"$dateTrunc": {"date": time, "unit": "second"}}
    return {"$dateTrunc": {"date": time, "unit": "millisecond", "binSize": step}}


def round_time(node: Call, r: Renderer) -> MqlValue:
    """The function of statements."""
    digits, cut = (constant(argument, r) for argument in node.arguments[1:])
    assert isinstance(digits, int)
    return of_fraction(instant(node.arguments[0], r), Fraction(digits, bool(cut)), node.rules)
