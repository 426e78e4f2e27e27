"""MySQL's names of months and days, the last day of a month, and EXTRACT of a year with its month."""

from __future__ import annotations

from collections.abc import Sequence

from nestling.ir.statements.expression import NULL, Arithmetic, Call, Case, Compare, Expression, Literal
from nestling.ir.statements.operators import ArithmeticOperator, Comparison, Function, Rules
from nestling.ir.types import DATE, INTEGER, TEXT
from nestling.planner.sql.weeks import part

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def month_name(time: Expression) -> Expression:
    """The month's English name, as MySQL has it unless `lc_time_names` says another language."""
    return _named(part("month", time), _MONTHS)


def day_name(time: Expression) -> Expression:
    """The day's English name."""
    return _named(part("isodow", time), _DAYS)


def last_day(time: Expression) -> Expression:
    """The last day of the month: a month after its first one, less a day."""
    first = Call(Function.TRUNCATE_TIME, (Literal("month", TEXT), time), DATE, Rules.MYSQL)
    return _added(_added(first, "month", 1), "day", -1)


def year_month(time: Expression) -> Expression:
    """The year and two digits of the month, as one number."""
    hundreds = Arithmetic(ArithmeticOperator.MULTIPLY, part("year", time), Literal(100, INTEGER), INTEGER)
    return Arithmetic(ArithmeticOperator.ADD, hundreds, part("month", time), INTEGER)


def _added(time: Expression, unit: str, amount: int) -> Expression:
    return Call(Function.ADD_TIME, (time, Literal(unit, TEXT), Literal(amount, INTEGER)), DATE, Rules.MYSQL)


def _named(number: Expression, names: Sequence[str]) -> Expression:
    branches = tuple(
        (Compare(Comparison.EQUAL, number, Literal(place, INTEGER)), Literal(name, TEXT))
        for place, name in enumerate(names, 1)
    )
    return Case(branches, NULL, TEXT)
