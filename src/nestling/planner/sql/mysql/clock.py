"""MySQL's times of day: the one of a moment, and times that are added to moments."""

from __future__ import annotations

import re
from decimal import Decimal

from sqlglot import exp

from nestling.ir.statements.expression import NULL, Call, Expression, Literal
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import BSON_DIGITS, FLOAT, INTEGER, TEXT, TIMES, Type, TypeName
from nestling.planner.sql.gaps import no_constant, statement_gap
from nestling.planner.sql.mysql.times_as_text import digits_shown, shown_digits
from nestling.planner.sql.mysql.zero_dates import dates_alone
from nestling.planner.sql.scope import Translation

_TIME = Type(TypeName.TIME)
_START = len("0000-00-00 ")
_CONSTANT = re.compile(r"(-?)(?:(\d{1,2}) )?(\d{1,3}):(\d{1,2})(?::(\d{1,2})(\.\d{1,6})?)?", re.ASCII)
"""A span of time: days, hours and minutes, maybe seconds."""
_MOST = 60
_LONGEST = 838 * 3600 + 59 * 60 + 59
"""Seconds of the longest span, to which MySQL cuts others."""


def time_of_day(value: Expression, node: exp.Expr, translation: Translation) -> Expression:
    """MySQL's `TIME(x)` of a moment or time of day, as such a column is stored: without zeros at the end of its fraction."""
    if value.type.name is TypeName.TIME or value == NULL:
        return value
    if value.type.name not in TIMES:
        raise statement_gap("TIME() of other than a column's moment", node)
    is_whole = shown_digits(value, translation) == 0
    if is_whole and value.type.fraction_digits <= BSON_DIGITS:
        return Call(Function.FORMAT_TIME, (dates_alone(value), Literal("%H:%M:%S", TEXT)), _TIME, Rules.MYSQL)
    clock = Call(Function.SUBSTRING, (digits_shown(value), Literal(_START + 1, INTEGER)), TEXT, Rules.MYSQL)
    zeros = Call(Function.TRIM_END, (clock, Literal("0", TEXT)), TEXT, Rules.MYSQL)
    return Call(Function.TRIM_END, (zeros, Literal(".", TEXT)), _TIME, Rules.MYSQL)


def whole_time_of_day(value: Expression, node: exp.Cast, translation: Translation) -> Expression:
    """`CAST(x AS TIME)` of whole seconds: of others MySQL rounds what MariaDB cuts off."""
    is_whole = value.type.name in (*TIMES, TypeName.TIME) and shown_digits(value, translation) == 0
    if not is_whole or isinstance(value, Literal):
        raise statement_gap("CAST to TIME of other than a moment of whole seconds; write `TIME(x)`", node)
    return time_of_day(value, node, translation)


def seconds_of_span(amount: Expression, node: exp.Expr) -> Literal:
    """The seconds of a constant span of time, `'1:30:00'` or `'2 10:00'`."""
    text = amount.value if isinstance(amount, Literal) else None
    found = _CONSTANT.fullmatch(text) if isinstance(text, str) else None
    if not isinstance(amount, Literal):
        raise no_constant(f"{node.name.upper()}() of a time that is not a constant", node, node.expressions[1])
    if found is None:
        raise statement_gap(f"{node.name.upper()}() of `{text}`; write hours, minutes and seconds, '01:30:00'", node)
    sign, days, hours, minutes, seconds, fraction = found.groups(default="0")
    if int(minutes) >= _MOST or int(seconds) >= _MOST:
        raise statement_gap(f"{node.name.upper()}() of `{text}`, which is no time", node)
    whole = int(days) * 86_400 + int(hours) * 3600 + int(minutes) * 60 + int(seconds)
    exact = Decimal(fraction) + whole
    if exact > _LONGEST or exact * 1000 % 1:
        raise statement_gap(f"{node.name.upper()}() of `{text}`, which is longer or finer than what is computed", node)
    signed = -exact if sign == "-" else exact
    return Literal(int(signed), INTEGER) if signed == int(signed) else Literal(float(signed), FLOAT)
