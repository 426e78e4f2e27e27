"""A value as a field keeps it, converted by one of the functions of `sqlite` or `servers`.

Each of these takes a value that is not NULL. What the database would refuse raises one of `REFUSALS`; a ValueError of two texts
says what is wrong, and the next move.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from bson import Binary

from nestling.ir.conversions.given import (
    a_number,
    as_stored,
    check_value,
    clock_as_text,
    counted_truth,
    numeric,
    of_subtype,
    text_as_object_id,
    uuid_as_text,
)
from nestling.ir.value_forms.instants import INSTANT_TEXT, instant_text, rounded_to_millisecond
from nestling.ir.value_forms.json_documents import json_as_kept

MISSING: Any = object()
"""What NULL is stored as: no field."""
ALSO_TAKEN: dict[str, tuple[type, ...]] = {
    "json": (dict, list, tuple),
    "interval": (timedelta,),
    "time": (timedelta,),
}
"""Values that a field of such a type takes beside those that are one thing: what drivers of SQL take there."""
DECIMAL_DIGITS = 34
"""Of a decimal of BSON."""
REFUSALS = (ValueError, ArithmeticError, LookupError, TypeError, AttributeError)


def stored(name: str, value: Any, kind: str, convert: Callable[[Any], Any]) -> Any:
    """A parameter's value as a field of that type keeps it; never a document or list, so that it cannot become an operator."""
    check_stored(name, value, kind)
    if value is None:
        return MISSING
    try:
        return as_stored(convert(clock_as_text(value)))
    except REFUSALS as error:
        raise ValueError(f"`{name}`: {': '.join(refusal(error, value, kind))}") from None


def stored_json(name: str, value: Any, kind: str, convert: Callable[[Any], Any]) -> Any:
    """A parameter's value as a JSON column stores it: a document or list stays one, and its names and values are data only."""
    check_stored(name, value, kind)
    if value is None:
        return MISSING
    try:
        return json_as_kept(convert(value), as_stored)
    except REFUSALS as error:
        raise ValueError(f"`{name}`: {', '.join(refusal(error, value, kind))}") from None


def stored_array(name: str, value: Any, kind: str, convert: Callable[[Any], Any]) -> Any:
    """A parameter's value as a column of arrays stores it; a list of values is accepted too."""
    check_stored(name, value, kind)
    if value is None:
        return MISSING
    try:
        return stored_elements(convert(clock_as_text(value)))
    except REFUSALS as error:
        raise ValueError(f"`{name}`: {', '.join(refusal(error, value, kind))}") from None


def stored_elements(values: Any) -> list[Any]:
    """The elements of an array as BSON has them."""
    return [None if each is None else as_stored(each) for each in values]


def check_stored(name: str, value: Any, kind: str) -> None:
    """Refuse what a field of that type does not take: JSON takes documents and lists, an array takes a list of values."""
    word = re.split(r"[( ]", kind, maxsplit=1)[0]
    if word == "array" and isinstance(value, list | tuple):
        for each in value:
            check_value(name, each)
    elif not isinstance(value, ALSO_TAKEN.get(word, ())):
        check_value(name, value)


def refusal(error: Exception, value: Any, kind: str) -> list[str]:
    """The problem with a refused value, and the next move if there is one."""
    if isinstance(error, ValueError) and len(error.args) == 2:
        return list(error.args)
    return [f"{value!r} cannot be stored as {kind}", *_digits_of(kind)]


def _digits_of(kind: str) -> list[str]:
    """What a number of declared digits is."""
    digits = re.match(r"decimal\((\d+)(?:, ?(\d+))?\)", kind)
    if digits is None:
        return []
    most, scale = int(digits[1]), int(digits[2] or 0)
    in_all = f" and {DECIMAL_DIGITS} in total, the most that MongoDB keeps" if most > DECIMAL_DIGITS else ""
    move = f"give a number of at most {most - scale} digits before the point{in_all}"
    return [f"{move}, or change the attribute's `type` in the design"]


def unchanged(value: Any) -> Any:
    """Return the value unchanged."""
    return value


def of_number(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the conversion for a value in arithmetic, which refuses anything but a number."""

    def check(value: Any) -> Any:
        try:
            a_number(numeric(uuid_as_text(counted_truth(value))))
        except TypeError:
            raise ValueError(f"{value!r} is not a number", "give a number: it is used in arithmetic") from None
        return convert(value)

    return check


def rounded_moment(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The conversion of a datetime that is rounded to the millisecond first, and of each in a list."""

    def whole(value: Any) -> Any:
        return rounded_to_millisecond(value) if isinstance(value, datetime) else value

    return lambda value: convert([whole(each) for each in value] if isinstance(value, list | tuple) else whole(value))


def kept_moment(digits: int, convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A moment as text where more than milliseconds are kept; bytes for a text that could be taken for one."""

    def keep(value: Any) -> Any:
        found = convert(value)
        if isinstance(found, datetime) and digits > 3:
            return instant_text(found)
        is_alike = isinstance(found, str) and INSTANT_TEXT.fullmatch(found)
        return Binary(found.encode(), 130) if is_alike else found

    return keep


def kept_subtype(subtype: int, convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Bytes as binary of that subtype."""
    keep = of_subtype(subtype)
    return lambda value: keep(convert(value))


def kept_object_id(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The ObjectId whose 24 digits a text is."""
    return lambda value: text_as_object_id(convert(value))
