"""Numbers of weeks, as MySQL's WEEK() and YEARWEEK() and PostgreSQL's to_char count them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nestling.ir.statements.expression import Arithmetic, Call, Expression, Literal
from nestling.ir.statements.operators import ArithmeticOperator, Division, Function, Rules
from nestling.ir.types import DATE, INTEGER, TEXT


@dataclass(frozen=True, slots=True)
class WeekRule:
    """Which day a week begins with, and which week is the first of a year.

    `by_first_day`: the first one that begins in it; else the first one of which four days lie in it.
    `whole_year`: the days before it are of the last week of the year before, and not of week 0.
    """

    begins_on_monday: bool
    by_first_day: bool
    whole_year: bool


def rule_of_mode(mode: int) -> WeekRule:
    """MySQL's modes, 0 to 7."""
    monday = bool(mode & 1)
    return WeekRule(monday, bool(mode & 4) is monday, bool(mode & 2))


ISO = rule_of_mode(3)


def week(time: Expression, rule: WeekRule) -> Expression:
    """The number of the week."""
    if rule.whole_year:
        days = _sum(part("doy", _deciding_day(time, rule)), Literal(-1, INTEGER))
        return _sum(_quotient(days, 7), Literal(1, INTEGER))
    since = _difference(part("doy", time), _day_of_week(time, rule))
    return _quotient(_sum(since, Literal(6 if rule.by_first_day else 9, INTEGER)), 7)


def year_of_week(time: Expression, rule: WeekRule) -> Expression:
    """The year of which the week is one."""
    return part("year", _deciding_day(time, rule))


def year_week(time: Expression, rule: WeekRule) -> Expression:
    """The year and the week as one number (year × 100 + week), with weeks of whole years whatever the rule says."""
    rule = replace(rule, whole_year=True)
    hundreds = Arithmetic(ArithmeticOperator.MULTIPLY, year_of_week(time, rule), Literal(100, INTEGER), INTEGER)
    return _sum(hundreds, week(time, rule))


def part(unit: str, time: Expression) -> Expression:
    """A part of a date as a number."""
    return Call(Function.TIME_PART, (Literal(unit, TEXT), time), INTEGER, Rules.MYSQL)


def _day_of_week(time: Expression, rule: WeekRule) -> Expression:
    """How many days of its week are before it."""
    return _sum(part("isodow", time), Literal(-1, INTEGER)) if rule.begins_on_monday else part("dow", time)


def _deciding_day(time: Expression, rule: WeekRule) -> Expression:
    """The day whose year is the week's: its first one, or its fourth."""
    day = Call(Function.DATE_OF, (time,), DATE, Rules.MYSQL)
    away = _difference(Literal(0 if rule.by_first_day else 3, INTEGER), _day_of_week(time, rule))
    return Call(Function.ADD_TIME, (day, Literal("day", TEXT), away), DATE, Rules.MYSQL)


def _sum(left: Expression, right: Expression) -> Expression:
    return Arithmetic(ArithmeticOperator.ADD, left, right, INTEGER)


def _difference(left: Expression, right: Expression) -> Expression:
    return Arithmetic(ArithmeticOperator.SUBTRACT, left, right, INTEGER)


def _quotient(number: Expression, by: int) -> Expression:
    return Arithmetic(ArithmeticOperator.DIVIDE, number, Literal(by, INTEGER), INTEGER, Division.INTEGER)
