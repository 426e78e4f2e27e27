"""SQLite's time values: texts in its forms, Julian days, and dates, as instants."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.comparison import is_wide
from nestling.emitters.mql.sql.constants import MqlValue, as_literal
from nestling.emitters.mql.sql.failures import failure
from nestling.emitters.mql.sql.functions.zero_dates import told_apart
from nestling.emitters.mql.sql.gaps import rendering_gap
from nestling.emitters.mql.sql.nulls import bind, null_unless_bytes
from nestling.emitters.mql.sql.numerals import NUMBER, SPACE
from nestling.emitters.mql.sql.placeholder import ConvertedPlaceholder, Whole
from nestling.ir.statements.expression import Call, Expression
from nestling.ir.statements.operands import is_mixed, is_number, is_text
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import TIMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from nestling.emitters.mql.sql.renderer import Renderer

_ZONE = r"(?:[ \t\n\x0b\f\r]*(?:([-+])(0[0-9]|1[0-4]):([0-5][0-9])|[zZ]))?[ \t\n\x0b\f\r]*"
_CLOCK = rf"([01][0-9]|2[0-4]):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]+))?)?{_ZONE}"
_DAY = r"([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_FORM = rf"^(?:{_DAY}(?:[T \t\n\x0b\f\r]*{_CLOCK}|[T \t\n\x0b\f\r]*)|{_CLOCK})\z"
_LAST_MOMENT = r"^23:59:59\.999[5-9]"
"""Half a millisecond before midnight, without a date: SQLite shows the date of the next day and the time of this one."""
JULIAN_EPOCH = 210_866_760_000_000
_LAST_JULIAN_DAY = 5_373_484.5
_EXACT_DIGITS = 15
"""Decimal digits that a float can distinguish."""
_NO_TIME = "no such day or hour"
_YEAR_ZERO = -62_167_219_200_000
"""Milliseconds from 1970 back to it."""


def instant(expression: Expression, r: Renderer) -> MqlValue:
    """A date, timestamp or time value as a BSON date."""
    if isinstance(expression, Call) and expression.function in (Function.TIME_IN_ZONE, Function.TIME_OF_ZONE):
        from nestling.emitters.mql.sql.functions.zones import moved

        return moved(expression, instant(expression.arguments[1], r), r)
    value = r.value(expression)
    return of_wide(value) if is_wide(expression) else _for_arithmetic(value)


def _for_arithmetic(time: MqlValue) -> MqlValue:
    """A time that a function is given; one that a parameter gives has whole milliseconds."""
    match time:
        case {"$literal": ConvertedPlaceholder(unit="") as place}:
            return {"$literal": replace(place, shifted=True)}
        case _:
            return time


def cut_instant(expression: Expression, r: Renderer) -> MqlValue:
    """The instant, if only its millisecond matters: further digits of a parameter are ignored."""
    match instant(expression, r):
        case {"$literal": ConvertedPlaceholder(shifted=True) as place}:
            return {"$literal": replace(place, shifted=False, whole=Whole.BEFORE)}
        case time:
            return time


def of_wide(text: MqlValue) -> MqlValue:
    """The millisecond of a timestamp that is stored as text because it is finer than a BSON date."""
    return {
        "$dateFromString": {"dateString": {"$substrCP": [{"$ifNull": [text, ""]}, 0, _TO_MILLISECOND]}, "onError": None}
    }


def changed_wide(text: MqlValue, change: Callable[[MqlValue], MqlValue], sign: str | None = None) -> MqlValue:
    """A timestamp stored as text, changed by whole milliseconds; `sign`: the new zone sign, by default its own."""

    def body(text: MqlValue) -> MqlValue:
        millisecond = {"$dateToString": {"date": change(of_wide(text)), "format": "%Y-%m-%dT%H:%M:%S.%L"}}
        rest: MqlValue = {"$substrCP": [text, _TO_MILLISECOND, 3 if sign is not None else 4]}
        parts = [millisecond, rest, *([sign] if sign else [])]
        return {"$cond": [{"$lte": [text, None]}, None, {"$concat": parts}]}

    return bind({"text": text}, body)


_TO_MILLISECOND = 23
"""Characters of a moment as text up to its milliseconds."""


def timestamp_of(node: Call, r: Renderer) -> MqlValue:
    """The time as which date functions read their first argument; NULL if it is not a time."""
    operand = node.arguments[0]
    if node.rules is Rules.MYSQL:
        return told_apart(r.value(operand), lambda time: time)
    if node.rules is not Rules.SQLITE:
        raise rendering_gap("a text used as a time outside SQLite's dialect")
    if operand.type.name in TIMES and not is_mixed(operand) and not is_wide(operand):
        return instant(operand, r)

    def body(value: MqlValue) -> MqlValue:
        if is_text(operand) or (is_wide(operand) and not is_mixed(operand)):
            return (
                {"$cond": [{"$lte": [value, None]}, None, _of_text(value)]} if r.nullable(operand) else _of_text(value)
            )
        if is_number(operand):
            return _of_number(value)
        branches = [
            {"case": {"$eq": [{"$type": value}, "string"]}, "then": _of_text(value)},
            {"case": {"$eq": [{"$type": value}, "date"]}, "then": value},
            {"case": {"$isNumber": value}, "then": _of_number(value)},
        ]
        return {"$switch": {"branches": branches, "default": null_unless_bytes(value)}}

    value = r.value(operand)
    return bind({"value": as_literal(value) if is_number(operand) else value}, body)


def since_year_zero(node: Expression, time: MqlValue) -> MqlValue:
    """The time; the statement fails for a Julian day before the year 0, as SQLite counts the days of such years differently."""
    is_told = (
        isinstance(node, Call) and node.function is Function.TIMESTAMP_OF and node.arguments[0].type.name not in TIMES
    )
    if not is_told:
        return time

    def body(time: MqlValue) -> MqlValue:
        known = {"$or": [{"$lte": [time, None]}, {"$gte": [{"$toLong": time}, _YEAR_ZERO]}]}
        return {"$cond": [known, time, failure("a time before the year 0", {"$toString": {"$toLong": time}})]}

    return bind({"moment": time}, body)


def _of_number(value: MqlValue) -> MqlValue:
    """A Julian day, to the nearest millisecond."""
    known = {"$and": [{"$gte": [value, 0]}, {"$lt": [value, _LAST_JULIAN_DAY]}]}
    milliseconds = {"$toLong": {"$add": [{"$multiply": [value, 86_400_000.0]}, 0.5]}}
    return {"$cond": [known, {"$toDate": {"$subtract": [milliseconds, JULIAN_EPOCH]}}, None]}


def _of_text(text: MqlValue) -> MqlValue:
    """The forms `2024-01-31`, `2024-01-31 10:00[:00[.000]]` and `10:00`, with an offset or not; a numeral is a Julian day."""
    parts = {"$getField": {"field": "captures", "input": {"$regexFind": {"input": text, "regex": _FORM}}}}
    numeral = {"$regexMatch": {"input": text, "regex": f"^{SPACE}{NUMBER}{SPACE}\\z"}}
    day = {"$convert": {"input": {"$trim": {"input": text}}, "to": "double", "onError": -1.0}}
    number = bind({"day": day}, _of_number)
    is_last = {"$regexMatch": {"input": text, "regex": _LAST_MOMENT}}

    def told(parts: MqlValue) -> MqlValue:
        return {"$cond": [is_last, failure(_NO_TIME, text), _of_parts(parts, text)]}

    return bind(
        {"parts": parts},
        lambda parts: {"$cond": [{"$gt": [parts, None]}, told(parts), {"$cond": [numeral, number, None]}]},
    )


def _of_parts(parts: MqlValue, text: MqlValue) -> MqlValue:
    """The time a text says. Its groups: year, month, day; then hour, minute, second, fraction, sign and offset, once after a date
    and once alone.
    """

    def group(place: int, default: str) -> MqlValue:
        found: list[MqlValue] = [{"$arrayElemAt": [parts, place]}]
        if place > 2:
            found.append({"$arrayElemAt": [parts, place + 7]})
        return {"$ifNull": [*found, default]}

    names = {
        "year": (0, "2000"),
        "month": (1, "1"),
        "day": (2, "1"),
        "hour": (3, "0"),
        "minute": (4, "0"),
        "second": (5, "0"),
    }
    fields: dict[str, MqlValue] = {name: {"$toInt": group(*place)} for name, place in names.items()}
    digits = {"$substrCP": [group(6, "0"), 0, _EXACT_DIGITS]}
    fields["millisecond"] = bind({"second": fields["second"], "digits": digits}, _rounded)
    offset = {"$add": [{"$multiply": [{"$toInt": group(8, "0")}, 60]}, {"$toInt": group(9, "0")}]}
    shift = {"$multiply": [{"$cond": [{"$eq": [group(7, "-"), "-"]}, 60_000, -60_000]}, offset]}
    made: MqlValue = {"$dateFromParts": fields}
    found = bind({"day": fields["day"], "time": made}, lambda day, time: _checked(day, time, text))
    return {"$add": [found, shift]}


def _rounded(second: MqlValue, digits: MqlValue) -> MqlValue:
    """The millisecond as SQLite rounds it, from the second as a float; never of the next second, as in SQLite since 3.49."""
    fraction = {"$divide": [{"$toDouble": digits}, {"$pow": [10.0, {"$strLenCP": digits}]}]}
    milliseconds = {"$floor": {"$add": [{"$multiply": [{"$add": [second, fraction]}, 1000.0]}, 0.5]}}
    return {"$toInt": {"$min": [999, {"$subtract": [milliseconds, {"$multiply": [second, 1000]}]}]}}


def _checked(day: MqlValue, time: MqlValue, text: MqlValue) -> MqlValue:
    """SQLite shows impossible days, and the hour 24, as written: the statement fails instead."""
    return {"$cond": [{"$eq": [{"$dayOfMonth": time}, day]}, time, failure(_NO_TIME, text)]}
