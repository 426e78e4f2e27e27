"""What SQLite's functions of time take for a moment: a value, and the modifiers behind it."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Sequence

from sqlglot import exp

from nestling.ir.statements.expression import (
    ANY,
    NULL,
    And,
    Arithmetic,
    Call,
    Case,
    Cast,
    Compare,
    Expression,
    Literal,
    Raw,
)
from nestling.ir.statements.operands import is_integer, is_mixed
from nestling.ir.statements.operators import ArithmeticOperator, Comparison, Function, Rules
from nestling.ir.types import BSON_DIGITS, FLOAT, INTEGER, TEXT, TIMESTAMP, TypeName
from nestling.planner.sql.gaps import statement_gap
from nestling.planner.sql.literals import typed_literal
from nestling.planner.sql.scope import Bind

_DAY = re.compile(r"\s*(\d{4})-(\d\d)-(\d\d)")
_LAST_HOUR = re.compile(r"(?:^|[T\s])24:\d\d")
_MODIFIER = re.compile(r"\s*([+-]?)(\d+(?:\.\d+)?)\s+(day|hour|minute|second|month|year)s?\s*\Z", re.IGNORECASE)
_STARTS = re.compile(r"\s*start of (day|month|year)\s*\Z", re.IGNORECASE)
_WEEKDAY = re.compile(r"\s*weekday\s+([0-6])\s*\Z", re.IGNORECASE)


def instant(parts: Sequence[exp.Expr], bound: Bind) -> Expression:
    """A SQLite time value with its modifiers as a timestamp, NULL if it is not a time."""
    if not parts:
        return Call(Function.NOW, (), TIMESTAMP, Rules.SQLITE)
    first = parts[0].this if isinstance(parts[0], exp.TsOrDsToTimestamp | exp.TsOrDsToDate) else parts[0]
    given, modifiers = bound(first), parts[1:]
    if modifiers and isinstance(modifiers[0], exp.Literal) and modifiers[0].name.casefold().strip() == "unixepoch":
        found, modifiers = _of_seconds(given, modifiers[0]), modifiers[1:]
    else:
        found = _timestamp(given)
    for part in modifiers:
        found = _modified(found, part)
    return found


def _of_seconds(value: Expression, node: exp.Expr) -> Expression:
    """A number of seconds since 1970, NULL before SQLite's first day and beyond the year 9999."""
    if not is_integer(value) or is_mixed(value):
        raise statement_gap("date modifier `unixepoch` on other than a column of whole numbers", node)
    start = typed_literal("1970-01-01 00:00:00", TIMESTAMP)
    moment = Call(Function.ADD_TIME, (start, Literal("second", TEXT), value), TIMESTAMP, Rules.SQLITE)
    first, last = (Literal(each, INTEGER) for each in (-210_866_760_000, 253_402_300_799))
    is_time = And((Compare(Comparison.GREATER_OR_EQUAL, value, first), Compare(Comparison.LESS_OR_EQUAL, value, last)))
    return Case(((is_time, moment),), NULL, TIMESTAMP)


def _on_weekday(value: Expression, number: int) -> Expression:
    """The day, or the next one that is this day of the week; 0 is Sunday."""
    today = Call(Function.TIME_PART, (Literal("dow", TEXT), value), INTEGER, Rules.SQLITE)
    away = Arithmetic(ArithmeticOperator.SUBTRACT, Literal(number + 7, INTEGER), today, INTEGER)
    days = Arithmetic(ArithmeticOperator.MODULO, away, Literal(7, INTEGER), INTEGER)
    return Call(Function.ADD_TIME, (value, Literal("day", TEXT), days), TIMESTAMP, Rules.SQLITE)


def _timestamp(value: Expression) -> Expression:
    if isinstance(value, Literal) and isinstance(value.value, str) and value.value.casefold() == "now":
        return Call(Function.NOW, (), TIMESTAMP, Rules.SQLITE)
    if isinstance(value, Literal) and isinstance(value.value, str) and _overflows(value.value):
        raise statement_gap(f"`{value.value}`, a date or time that does not exist: SQLite versions differ on it")
    is_date = value.type.name is TypeName.TIMESTAMP and value.type.fraction_digits <= BSON_DIGITS
    if is_date and not is_mixed(value):
        return value
    if value.type.name is TypeName.BOOLEAN:  # a Julian day, as any number
        value = Raw(value, ANY) if is_mixed(value) else Cast(value, INTEGER, Rules.SQLITE)
    return Call(Function.TIMESTAMP_OF, (value,), TIMESTAMP, Rules.SQLITE)


def _overflows(text: str) -> bool:
    """Whether it is written like a time but has a day its month does not have, or the hour 24."""
    if (day := _DAY.match(text)) is not None:
        year, month, number = map(int, day.groups())
        if 1 <= month <= 12 and monthrange(year or 4, month)[1] < number <= 31:
            return True
    return _LAST_HOUR.search(text) is not None


def _modified(value: Expression, modifier: exp.Expr) -> Expression:
    word = modifier.this if isinstance(modifier, exp.Literal) and modifier.is_string else ""
    if match := _STARTS.match(word):
        return Call(Function.TRUNCATE_TIME, (Literal(match[1].lower(), TEXT), value), TIMESTAMP, Rules.SQLITE)
    if match := _WEEKDAY.match(word):
        return _on_weekday(value, int(match[1]))
    match = _MODIFIER.match(word)
    if match is None or ("." in match[2] and match[3].lower() in ("month", "year")):
        raise statement_gap(f"date modifier `{word or modifier.sql()}`", modifier)
    amount = float(match[2]) if "." in match[2] else int(match[2])
    signed = Literal(-amount if match[1] == "-" else amount, FLOAT if isinstance(amount, float) else INTEGER)
    return Call(Function.ADD_TIME, (value, Literal(match[3].lower(), TEXT), signed), TIMESTAMP, Rules.SQLITE)
