"""The window of a bucket: where the calendar unit that an event lies in begins, and the first instant after it."""

from __future__ import annotations

from datetime import datetime

from nestling.ir.primitives import BucketWindow
from nestling.ir.statements.expression import NULL, Call, Case, Compare, Expression, Literal
from nestling.ir.statements.operators import Comparison, Function, Rules
from nestling.ir.types import INTEGER, TEXT, Type

MOMENT = Type.parse("timestamp(0)")
_LAST = datetime(9999, 12, 31, 23, 59, 59)  # noqa: DTZ001 - a BSON date has no zone


def window_start(value: Expression, window: BucketWindow) -> Expression:
    """The beginning of the window that a value lies in; NULL if it is not a date."""
    return Call(Function.TRUNCATE_TIME, (Literal(window.unit.value, TEXT), value), MOMENT, Rules.POSTGRESQL)


def window_end(start: Expression, window: BucketWindow) -> Expression:
    """The first instant after the window that begins there; NULL beyond the year 9999."""
    unit = Literal(window.unit.value, TEXT)
    end = Call(Function.ADD_TIME, (start, unit, Literal(1, INTEGER)), MOMENT, Rules.POSTGRESQL)
    is_told = Compare(Comparison.LESS_OR_EQUAL, end, Literal(_LAST, MOMENT))
    return Case(((is_told, end),), NULL, MOMENT)
