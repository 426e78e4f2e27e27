"""What PostgreSQL's EXTRACT says of the time between two moments: its seconds, or its days, hours, minutes and seconds."""

from __future__ import annotations

from nestling.ir.expression import Arithmetic, Call, Cast, Division, Expression, Function, Literal, Operator, Rules
from nestling.ir.types import INTEGER, TEXT
from nestling.planner.sql.literals import DECIMAL

_WITHIN = {"hour": 24, "minute": 60}
"""How many of a unit the next one has."""
_MINUTE = 60


def part_of_interval(unit: str, interval: Expression) -> Expression | None:
    """The part of the difference of two moments, below 0 where that is; None for other intervals and units."""
    if not isinstance(interval, Call) or interval.function is not Function.TIME_BETWEEN:
        return None
    if unit == "epoch":
        return _seconds(interval)
    if unit == "second":
        return Arithmetic(Operator.MODULO, _seconds(interval), Literal(_MINUTE, INTEGER), DECIMAL, Division.DECIMAL)
    if unit not in ("day", *_WITHIN):
        return None
    passed: Expression = Call(
        Function.UNITS_BETWEEN, (Literal(unit, TEXT), *interval.arguments), INTEGER, Rules.POSTGRESQL
    )
    if unit in _WITHIN:
        passed = Arithmetic(Operator.MODULO, passed, Literal(_WITHIN[unit], INTEGER), INTEGER, Division.INTEGER)
    return Cast(passed, DECIMAL, Rules.POSTGRESQL)


def _seconds(interval: Call) -> Expression:
    later, earlier = (Call(Function.EPOCH, (moment,), DECIMAL, Rules.POSTGRESQL) for moment in interval.arguments)
    return Arithmetic(Operator.SUBTRACT, later, earlier, DECIMAL)
