"""Functions of dates and timestamps. Instants are BSON dates, which keep milliseconds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bson import Decimal128

from nestling.emitters.mql.sql.comparison import beside_wide, is_wide
from nestling.emitters.mql.sql.constants import MqlValue
from nestling.emitters.mql.sql.functions.arguments import constant
from nestling.emitters.mql.sql.functions.fractions import round_time
from nestling.emitters.mql.sql.functions.time_values import (
    JULIAN_EPOCH,
    changed_wide,
    cut_instant,
    instant,
    of_wide,
    since_year_zero,
    timestamp_of,
)
from nestling.emitters.mql.sql.functions.zero_dates import formatted_text, part_of_text, told_apart, with_texts
from nestling.emitters.mql.sql.gaps import no_constant, rendering_gap
from nestling.emitters.mql.sql.nulls import bind, null_if_any
from nestling.emitters.mql.sql.truncation import truncation
from nestling.ir.programs.compiled import SERVER_TIME
from nestling.ir.statements.expression import Call, Expression, Parameter
from nestling.ir.statements.operands import is_integer, is_mixed_time
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import TypeName

if TYPE_CHECKING:
    from collections.abc import Callable

    from nestling.emitters.mql.sql.renderer import Renderer

_MILLISECONDS = {"week": 604_800_000, "day": 86_400_000, "hour": 3_600_000, "minute": 60_000, "second": 1000}
_PARTS = {
    "year": "$year",
    "month": "$month",
    "day": "$dayOfMonth",
    "hour": "$hour",
    "minute": "$minute",
    "week": "$isoWeek",
    "doy": "$dayOfYear",
    "isodow": "$isoDayOfWeek",
}
_SECOND_OF_SIX_DIGITS = Decimal128("0.001000")
_DATES_INSTEAD = "`design --milliseconds` keeps dates, from which it is computed"
_MOST_MONTHS = 32_000
_ROUNDING = 1e-12
"""Tolerance when the product of two floats is meant to be a whole number."""
_MICROSECOND = Decimal128("0.000001")
_SHARED = re.compile(r"(?:[^%]|%[dHjmMSY])*")
"""Format letters that all databases write alike."""
_PIECE = re.compile(r"%[fJsWw]")
_DAY_OF_YEAR = re.compile(r"%[jW]")


def now(node: Call, r: Renderer) -> MqlValue:  # noqa: ARG001 - one signature for all functions
    """The server's current time, which is one value for the whole statement."""
    return SERVER_TIME


def date_of(node: Call, r: Renderer) -> MqlValue:
    """Midnight of the day; in MySQL the day of a text."""
    if node.rules is Rules.MYSQL and is_mixed_time(node.arguments[0]):
        return told_apart(r.value(node.arguments[0]), _day, lambda text: {"$substrCP": [text, 0, 10]})
    return _day(instant(node.arguments[0], r)) if (known := _truncated(node, r)) is None else known


def _truncated(node: Call, r: Renderer) -> MqlValue | None:
    """The beginning of a parameter's calendar unit, computed before it is sent; None for anything else."""
    found = truncation(node)
    return {"$literal": found.of(r.parameter(found.value))} if found and isinstance(found.value, Parameter) else None


def _day(time: MqlValue) -> MqlValue:
    return {"$dateTrunc": {"date": time, "unit": "day"}}


def format_time(node: Call, r: Renderer) -> MqlValue:
    """strftime: letters that the server's format lacks are computed and inserted."""
    pattern = constant(node.arguments[1], r)
    if not isinstance(pattern, str):
        raise no_constant("a time format that is not a constant", node.arguments[1])
    if node.rules is not Rules.SQLITE and not _SHARED.fullmatch(pattern):
        raise rendering_gap(f"the time format `{pattern}` outside SQLite's dialect")
    texts = with_texts(node.arguments[0])
    if texts is not None:
        known = pattern
        return told_apart(r.value(texts), lambda x: _formatted(x, known), lambda x: formatted_text(x, known))
    pattern = pattern.replace("%f", "%S.%L")
    computed = _PIECE.search(pattern) is not None and r.nullable(node.arguments[0])
    time = cut_instant(node.arguments[0], r)
    if node.rules is Rules.SQLITE and _DAY_OF_YEAR.search(pattern):
        time = since_year_zero(node.arguments[0], time)
    return bind(
        {"time": time},
        lambda time: null_if_any([time] if computed else [], _formatted(time, pattern)),
    )


def moment_text(node: Call, r: Renderer) -> MqlValue:
    """A moment with all six digits of a second."""
    value = r.value(node.arguments[0])
    if not is_wide(node.arguments[0]):
        return _plainly(value, "%Y-%m-%d %H:%M:%S.%L000")
    day, clock = (0, len("0000-00-00")), (len("0000-00-00T"), len("00:00:00.000000"))

    def body(text: MqlValue) -> MqlValue:
        return null_if_any([text], {"$concat": [{"$substrCP": [text, *day]}, " ", {"$substrCP": [text, *clock]}]})

    return bind({"text": value}, body)


def _formatted(time: MqlValue, pattern: str) -> MqlValue:
    pieces: list[MqlValue] = []
    start = 0
    for found in re.finditer(r"%.", pattern):
        if _PIECE.fullmatch(found[0]):
            if found.start() > start:
                pieces.append(_plainly(time, pattern[start : found.start()]))
            pieces.append(_COMPUTED[found[0]](time))
            start = found.end()
    if start < len(pattern) or not pieces:
        pieces.append(_plainly(time, pattern[start:]))
    return pieces[0] if len(pieces) == 1 else {"$concat": pieces}


def _plainly(time: MqlValue, pattern: str) -> MqlValue:
    return {"$dateToString": {"date": time, "format": pattern}}


def _weekday(time: MqlValue) -> MqlValue:
    """0 is Sunday."""
    return {"$toString": {"$subtract": [{"$dayOfWeek": time}, 1]}}


def _week(time: MqlValue) -> MqlValue:
    """Weeks that start on Monday; the days before the first are in week 00."""
    days = {"$subtract": [{"$add": [{"$dayOfYear": time}, 7]}, {"$isoDayOfWeek": time}]}
    week = {"$toString": {"$toInt": {"$floor": {"$divide": [days, 7]}}}}
    return bind({"week": week}, lambda x: {"$cond": [{"$eq": [{"$strLenCP": x}, 1]}, {"$concat": ["0", x]}, x]})


def _julian_text(time: MqlValue) -> MqlValue:  # noqa: ARG001
    raise rendering_gap("the time format %J")


def _seconds(time: MqlValue) -> MqlValue:
    return {"$toLong": {"$floor": {"$divide": [{"$toLong": time}, 1000]}}}


_COMPUTED: dict[str, Callable[[MqlValue], MqlValue]] = {
    "%w": _weekday,
    "%W": _week,
    "%J": _julian_text,
    "%s": lambda time: {"$toString": _seconds(time)},
}


def time_part(node: Call, r: Renderer) -> MqlValue:
    """A number; seconds with their fraction in PostgreSQL."""
    unit = constant(node.arguments[0], r)
    if is_wide(node.arguments[1]) and unit == "second":
        return _wide_second(node, r)
    if node.arguments[1].type.name is TypeName.TIME:
        return bind({"time": r.value(node.arguments[1])}, lambda x: _part_of_clock(x, str(unit)))
    texts = with_texts(node.arguments[1])
    if texts is not None and isinstance(unit, str):
        return told_apart(r.value(texts), lambda x: _part(node, unit, x), lambda x: part_of_text(x, unit))
    is_exact = unit == "second" and node.rules is Rules.POSTGRESQL
    return _part(node, unit, (instant if is_exact else cut_instant)(node.arguments[1], r))


def _wide_second(node: Call, r: Renderer) -> MqlValue:
    """The second of a moment finer than a millisecond, as its text has it: with six digits in PostgreSQL."""
    is_exact = node.rules is Rules.POSTGRESQL
    kind, length = ("$toDecimal", len("00.000000")) if is_exact else ("$toInt", len("00"))

    def body(text: MqlValue) -> MqlValue:
        return null_if_any([text], {kind: {"$substrCP": [text, len("0000-00-00T00:00:"), length]}})

    return bind({"text": r.value(node.arguments[1])}, body)


def _part_of_clock(time: MqlValue, unit: str) -> MqlValue:
    """A part of the text of a time of day."""
    start = ("hour", "minute", "second").index(unit) * len("00:")
    return {"$cond": [{"$lte": [time, None]}, None, {"$toInt": {"$substrCP": [time, start, 2]}}]}


def _part(node: Call, unit: object, time: MqlValue) -> MqlValue:
    if unit in _PARTS and isinstance(unit, str):
        return {_PARTS[unit]: time}
    if unit == "quarter":
        return {"$toInt": {"$ceil": {"$divide": [{"$month": time}, 3]}}}
    if unit == "dow":
        return {"$subtract": [{"$dayOfWeek": time}, 1]}
    if unit == "second" and node.rules is Rules.POSTGRESQL:
        return bind(
            {"time": time},
            lambda x: {
                "$add": [{"$toDecimal": {"$second": x}}, {"$divide": [{"$toDecimal": {"$millisecond": x}}, 1000]}]
            },
        )
    if unit == "second":
        return {"$second": time}
    raise rendering_gap(f"the part {unit} of a time")


def truncate_time(node: Call, r: Renderer) -> MqlValue:
    """The first instant of the unit; weeks start on Monday."""
    if (known := _truncated(node, r)) is not None:
        return known
    unit = constant(node.arguments[0], r)
    week = {"startOfWeek": "monday"} if unit == "week" else {}
    return {"$dateTrunc": {"date": instant(node.arguments[1], r), "unit": unit, **week}}


def add_time(node: Call, r: Renderer) -> MqlValue:
    """Units of one length are milliseconds; SQLite lets a day beyond the month's last go on into the next month."""
    if is_wide(node.arguments[0]):
        if node.rules is Rules.SQLITE:
            raise rendering_gap("arithmetic with timestamps finer than a millisecond")
        return changed_wide(r.value(node.arguments[0]), lambda time: _added(node, time, r))
    return _added(node, instant(node.arguments[0], r), r)


def _added(node: Call, time: MqlValue, r: Renderer) -> MqlValue:
    unit, amount = (constant(argument, r) for argument in node.arguments[1:])
    assert isinstance(unit, str)
    if isinstance(amount, int | float) and unit in _MILLISECONDS:
        step = amount * _MILLISECONDS[unit]
        if node.rules is not Rules.SQLITE and abs(step - round(step)) > _ROUNDING * max(abs(step), 1):
            raise rendering_gap("an interval finer than a millisecond")
        return {"$add": [time, step if isinstance(step, int) else int(step + (0.5 if step >= 0 else -0.5))]}
    if node.rules is Rules.SQLITE and isinstance(amount, int):
        return bind({"time": time}, lambda x: _months_later(x, amount * (12 if unit == "year" else 1)))
    if amount is None:
        return None
    if not is_integer(node.arguments[2]):
        raise rendering_gap("a time span that is not a whole number of units")
    units = r.value(node.arguments[2])
    if unit in _MILLISECONDS:
        return {"$add": [time, {"$multiply": [units, _MILLISECONDS[unit]]}]}
    return _later(time, unit, units)


def _later(time: MqlValue, unit: str, amount: MqlValue) -> MqlValue:
    """The server loses a second of a fraction before 1970: it adds to the whole second, and the fraction comes back."""

    def body(time: MqlValue) -> MqlValue:
        fraction = {"$millisecond": time}
        second = {"$subtract": [time, fraction]}
        return {"$add": [{"$dateAdd": {"startDate": second, "unit": unit, "amount": amount}}, fraction]}

    return bind({"time": time}, body)


def _months_later(time: MqlValue, months: int) -> MqlValue:
    """The moment so many months later, computed so that year 0 is reached too; a large distance is split into years."""
    years, months = divmod(months, 12) if abs(months) > _MOST_MONTHS else (0, months)
    units = {"hour": "$hour", "minute": "$minute", "second": "$second", "millisecond": "$millisecond"}
    return {
        "$dateFromParts": {
            "year": {"$add": [{"$year": time}, years]} if years else {"$year": time},
            "month": {"$add": [{"$month": time}, months]},
            "day": {"$dayOfMonth": time},
            **{name: {operator: time} for name, operator in units.items()},
        }
    }


def days_between(node: Call, r: Renderer) -> MqlValue:
    """Whole days between two dates."""
    later, earlier = (r.value(argument) for argument in node.arguments)
    return {"$dateDiff": {"startDate": earlier, "endDate": later, "unit": "day"}}


def units_between(node: Call, r: Renderer) -> MqlValue:
    """Whole units that have passed; months by the calendar: the last is whole from its day and time of day on."""
    unit = constant(node.arguments[0], r)
    sides = node.arguments[1:]
    if any(map(is_wide, sides)):
        return _micros_between(node, unit, r)

    def body(later: MqlValue, earlier: MqlValue) -> MqlValue:
        passed = {"$subtract": [later, earlier]}
        if unit == "microsecond":
            found: MqlValue = {"$multiply": [passed, 1000]}
        elif isinstance(unit, str) and unit in _MILLISECONDS:
            found = {"$toLong": {"$trunc": {"$divide": [passed, _MILLISECONDS[unit]]}}}
        elif unit == "day of age":
            found = _days_beyond_months(later, earlier)
        elif isinstance(unit, str):
            whole = {"$divide": [_months_between(later, earlier), _MONTHS[unit]]}
            found = {"$toLong": {"$trunc": whole}}
        else:
            raise rendering_gap("a unit of time that is not a constant")
        return null_if_any(
            [value for value, side in zip((later, earlier), sides, strict=True) if r.nullable(side)], found
        )

    later, earlier = (instant(side, r) for side in sides)
    return bind({"later": later, "earlier": earlier}, body)


def _micros_between(node: Call, unit: object, r: Renderer) -> MqlValue:
    """The number of whole units between two moments finer than a millisecond, from their microseconds."""
    if unit != "microsecond" and unit not in _MILLISECONDS:
        raise rendering_gap(f"how many {unit}s lie between timestamps finer than a millisecond; {_DATES_INSTEAD}")
    one, other = node.arguments[1:]
    sides = (_beside_wide(one, other), _beside_wide(other, one))

    def body(later: MqlValue, earlier: MqlValue) -> MqlValue:
        passed = {"$subtract": [_micros(later, sides[0]), _micros(earlier, sides[1])]}
        if unit == "microsecond":
            return null_if_any([later, earlier], passed)
        whole = {"$toLong": {"$trunc": {"$divide": [passed, _MILLISECONDS[str(unit)] * 1000]}}}
        return null_if_any([later, earlier], whole)

    return bind({"later": r.value(sides[0]), "earlier": r.value(sides[1])}, body)


def _beside_wide(side: Expression, other: Expression) -> Expression:
    return beside_wide(side, other) if isinstance(side, Parameter) else side


def _micros(value: MqlValue, side: Expression) -> MqlValue:
    if not is_wide(side):
        return {"$multiply": [{"$toLong": value}, 1000]}
    rest = {"$toInt": {"$substrCP": [value, 23, 3]}}
    return {"$add": [{"$multiply": [{"$toLong": of_wide(value)}, 1000]}, rest]}


_MONTHS = {"month": 1, "quarter": 3, "year": 12}


def _months_between(later: MqlValue, earlier: MqlValue) -> MqlValue:
    def passed(high: MqlValue, low: MqlValue) -> MqlValue:
        begun = {"$subtract": [_month_number(high), _month_number(low)]}
        return {"$subtract": [begun, {"$cond": [{"$lt": [_within_month(high), _within_month(low)]}, 1, 0]}]}

    backwards = {"$subtract": [0, passed(earlier, later)]}
    return {"$cond": [{"$gte": [later, earlier]}, passed(later, earlier), backwards]}


def _month_number(time: MqlValue) -> MqlValue:
    return {"$add": [{"$multiply": [{"$year": time}, 12]}, {"$month": time}]}


def _within_month(time: MqlValue) -> MqlValue:
    """Milliseconds since the month began."""
    return {"$subtract": [time, {"$dateTrunc": {"date": time, "unit": "month"}}]}


def _days_beyond_months(later: MqlValue, earlier: MqlValue) -> MqlValue:
    """Where the later day of the month is before the earlier one, counted on from this to the end of its month."""

    def rest(high: MqlValue, low: MqlValue) -> MqlValue:
        begun = {"$dateTrunc": {"date": low, "unit": "month"}}
        month = {"$subtract": [{"$dateAdd": {"startDate": begun, "unit": "month", "amount": 1}}, begun]}
        passed = {"$subtract": [_within_month(high), _within_month(low)]}
        positive = {"$cond": [{"$lt": [passed, 0]}, {"$add": [passed, month]}, passed]}
        return {"$toLong": {"$trunc": {"$divide": [positive, _MILLISECONDS["day"]]}}}

    backwards = {"$subtract": [0, rest(earlier, later)]}
    return {"$cond": [{"$gte": [later, earlier]}, rest(later, earlier), backwards]}


def julian_day(node: Call, r: Renderer) -> MqlValue:
    """A float: whole days change at noon."""
    return {"$divide": [{"$add": [{"$toLong": instant(node.arguments[0], r)}, JULIAN_EPOCH]}, 86_400_000.0]}


def epoch(node: Call, r: Renderer) -> MqlValue:
    """Whole seconds; in PostgreSQL with six fractional digits for timestamps and none for dates."""
    operand = node.arguments[0]
    if operand.type.name is TypeName.INTERVAL:
        raise rendering_gap("the seconds of a stored interval, which is a text")
    if is_wide(operand):
        if node.rules is not Rules.POSTGRESQL:
            raise rendering_gap(f"the seconds of a timestamp finer than a millisecond; {_DATES_INSTEAD}")
        return bind({"text": r.value(operand)}, lambda text: null_if_any([text], _wide_seconds(text, operand)))
    time = instant(operand, r)
    if node.rules is not Rules.POSTGRESQL:
        return _seconds(time)
    milliseconds: MqlValue = {"$toDecimal": {"$toLong": time}}
    if operand.type.name is TypeName.DATE:
        return {"$divide": [milliseconds, 1000]}
    return {"$multiply": [milliseconds, _SECOND_OF_SIX_DIGITS]}


def _wide_seconds(text: MqlValue, operand: Expression) -> MqlValue:
    return {"$multiply": [{"$toDecimal": _micros(text, operand)}, _MICROSECOND]}


TIMES = {
    Function.NOW: now,
    Function.TIMESTAMP_OF: timestamp_of,
    Function.DATE_OF: date_of,
    Function.FORMAT_TIME: format_time,
    Function.MOMENT_TEXT: moment_text,
    Function.TIME_PART: time_part,
    Function.TRUNCATE_TIME: truncate_time,
    Function.ROUND_TIME: round_time,
    Function.ADD_TIME: add_time,
    Function.DAYS_BETWEEN: days_between,
    Function.UNITS_BETWEEN: units_between,
    Function.JULIAN_DAY: julian_day,
    Function.EPOCH: epoch,
}
