"""MySQL's functions on texts in date columns: zero dates, and dates without a month or a day.

Such a text is written like a date, `0000-00-00 00:00:00`, so its parts have the same positions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.constants import MqlValue
from nestling.emitters.mql.sql.gaps import rendering_gap
from nestling.emitters.mql.sql.nulls import bind
from nestling.ir.statements.expression import Call, Expression
from nestling.ir.statements.operators import Function, Rules

if TYPE_CHECKING:
    from collections.abc import Callable

_PLACES = {"year": (0, 4), "month": (5, 2), "day": (8, 2), "hour": (11, 2), "minute": (14, 2), "second": (17, 2)}
_LETTERS = {"%Y": "year", "%m": "month", "%d": "day", "%H": "hour", "%M": "minute", "%S": "second"}


def told_apart(
    value: MqlValue, of_date: Callable[[MqlValue], MqlValue], of_text: Callable[[MqlValue], MqlValue] | None = None
) -> MqlValue:
    """Apply a function by the kind of value; NULL for NULL, and for a text without a function."""

    def body(value: MqlValue) -> MqlValue:
        branches = [{"case": {"$eq": [{"$type": value}, "date"]}, "then": of_date(value)}]
        if of_text is not None:
            branches.append({"case": {"$eq": [{"$type": value}, "string"]}, "then": of_text(value)})
        return {"$switch": {"branches": branches, "default": None}}

    return bind({"value": value}, body)


def with_texts(time: Expression) -> Expression | None:
    """The value that a function of MySQL takes for a date, when some of its values are texts."""
    is_one = isinstance(time, Call) and time.function is Function.TIMESTAMP_OF and time.rules is Rules.MYSQL
    return time.arguments[0] if is_one and isinstance(time, Call) else None


def part_of_text(text: MqlValue, unit: str) -> MqlValue:
    """The number at the part's place; 0 where the text ends before it; NULL for parts only a date has."""
    if unit == "quarter":
        return {"$toInt": {"$ceil": {"$divide": [part_of_text(text, "month"), 3]}}}
    if unit not in _PLACES:
        return None
    return {"$convert": {"input": {"$substrCP": [text, *_PLACES[unit]]}, "to": "int", "onError": 0}}


def formatted_text(text: MqlValue, pattern: str) -> MqlValue:
    """The text's parts in the form."""
    pieces: list[MqlValue] = []
    for piece in re.findall(r"%.|[^%]+", pattern):
        if piece.startswith("%") and piece not in _LETTERS:
            raise rendering_gap(f"the time format {piece} of zero dates")
        pieces.append(_padded(text, *_PLACES[_LETTERS[piece]]) if piece in _LETTERS else {"$literal": piece})
    return {"$concat": pieces}


def _padded(text: MqlValue, start: int, length: int) -> MqlValue:
    found = {"$substrCP": [text, start, length]}
    return bind({"part": found}, lambda x: {"$cond": [{"$eq": [x, ""]}, "0" * length, x]})
