"""What SQLite makes of a value as it stores it: by its affinities, and by what its file is read back as."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

from nestling.ir.conversions.given import (
    is_uuid,
    json_text_of,
    number_as_text,
    numeric,
)
from nestling.ir.value_forms.instants import cut_to_millisecond, whole_milliseconds
from nestling.ir.value_forms.json_text import read_json
from nestling.ir.value_forms.numeral import INT64

MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.(\d{3}|\d{6}))?([-+]\d\d:\d\d)?", re.ASCII)
FINE_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})\d{3}([-+]\d\d:\d\d)?", re.ASCII)
DAY_TEXT = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
FRACTIONS = {0: (0, 6), 3: (3,)}
"""How many digits of a second the texts of a type may have; six of which three are 0 are milliseconds too."""
FORMS = {0: "", 3: ".fff"}


def sqlite_value(value: Any) -> Any:
    """A value as SQLite's drivers hand it over."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int) and not -INT64 <= value < INT64:
        raise ValueError(f"{value} does not fit in SQLite's 64-bit integers", "give a float or a text")
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, datetime):
        return value.isoformat(" ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        raise ValueError(f"SQLite has no value for {value!r}", "give its text")
    if is_uuid(value):
        raise ValueError(
            f"SQLite has no value for {value!r}", "give its `.hex` or its `str(…)`, as the column holds them"
        )
    return json_text_of(value) if isinstance(value, dict | list | tuple) else value


def sqlite_text(value: Any) -> Any:
    """A number or date as the text SQLite keeps of it; anything else as it is."""
    return number_as_text(sqlite_value(value))


def sqlite_float(value: Any) -> Any:
    """Convert as SQLite's REAL affinity does. The text `NaN`, as which NaN is unloaded, becomes NaN again."""
    found = numeric(sqlite_value(value))
    if found == "NaN":
        return float("nan")
    return float(found) + 0.0 if isinstance(found, int | float) else found


def sqlite_number(value: Any) -> Any:
    """Convert as SQLite's NUMERIC affinity does: to an integer where the value equals one, else to a float."""
    found = sqlite_whole(value)
    return float("nan") if found == "NaN" else found


def sqlite_whole(value: Any) -> Any:
    """Convert to a number as SQLite's NUMERIC affinity does; a float that equals a 64-bit integer becomes one."""
    found = numeric(sqlite_value(value))
    is_whole = isinstance(found, float) and found.is_integer() and -INT64 < found < INT64
    return int(found) if is_whole else found


def sqlite_truth(value: Any) -> Any:
    """1 and 0 as true and false."""
    return as_truth(sqlite_whole(value))


def as_truth(value: Any) -> Any:
    """1 and 0 as true and false; anything else as it is."""
    return value == 1 if isinstance(value, int) and value in (0, 1) else value


def sqlite_decimal(value: Any) -> Any:
    """A number, also of a text that writes it as decimals are written."""
    return as_decimal_text(value if isinstance(value, Decimal) else sqlite_whole(value))


def as_decimal_text(value: Any) -> Any:
    """The decimal a text writes; anything else as it is."""
    return if_exact(value, Decimal, str)


def sqlite_uuid(value: Any) -> Any:
    """A UUID, also of its text."""
    return value if is_uuid(value) else as_uuid_text(sqlite_whole(value))


def as_uuid_text(value: Any) -> Any:
    """The UUID that a canonical text says; anything else stays."""
    return if_exact(value, UUID, str)


def sqlite_day(value: Any) -> Any:
    """A day, also of its text."""
    return as_day_text(sqlite_whole(value))


def as_day_text(value: Any) -> Any:
    """The day that a text says; anything else stays."""
    return if_exact(value, date.fromisoformat, str)


def sqlite_moment(digits: int, zoned: bool) -> Callable[[Any], Any]:
    """A moment, also of its text in the form a column of so many digits of a second has."""
    read = as_moment_text(digits, zoned)

    def convert(value: Any) -> Any:
        if isinstance(value, datetime) and (value.tzinfo is not None) is zoned:
            return whole_milliseconds(value) if digits <= 3 else value
        if isinstance(value, date) and not isinstance(value, datetime) and not zoned:
            value = f"{value.isoformat()} 00:00:00"
        return read(sqlite_whole(value))

    return convert


def moment_in_milliseconds(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The conversion of a moment, or of the text of one with six digits of a second, the last three cut off."""

    def cut(value: Any) -> Any:
        if isinstance(value, datetime):
            return convert(cut_to_millisecond(value))
        if isinstance(value, str) and (match := FINE_MOMENT.fullmatch(value)):
            return convert(match[1] + (match[2] or ""))
        return convert(value)

    return cut


def as_moment_text(digits: int, zoned: bool) -> Callable[[Any], Any]:
    """The moment that a text says; anything else stays."""
    spec, step = {0: ("seconds", 1_000_000), 3: ("milliseconds", 1000)}.get(digits, ("microseconds", 1))

    def write(found: datetime) -> str:
        return found.isoformat(" ", spec if found.microsecond % step == 0 else "microseconds")

    def read(text: str) -> datetime:
        found = datetime.fromisoformat(text)
        if (found.tzinfo is not None) is not zoned:
            raise ValueError("the zone")
        return found.astimezone(UTC) if zoned else found

    return lambda value: if_exact(value, read, write)


def if_exact(value: Any, read: Callable[[str], Any], write: Callable[[Any], str]) -> Any:
    """The value that a text says, if that value is written as the same text; anything else stays."""
    if not isinstance(value, str):
        return value
    try:
        found = read(value)
        return found if write(found) == value else value
    except (ValueError, InvalidOperation, AttributeError):
        return value


def sqlite_json(value: Any) -> Any:
    """JSON, of its text."""
    return as_json_text(sqlite_whole(value))


def as_json_text(value: Any) -> Any:
    """The value of a JSON text; anything else as it is."""
    return read_json(value) if isinstance(value, str) else value


def sqlite_array(element: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """An array, of its JSON text."""
    read = as_array_text(element)
    return lambda value: read(sqlite_whole(value))


def as_array_text(element: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The array that a JSON text says; anything else stays."""

    def convert(value: Any) -> Any:
        found = as_json_text(value)
        return [None if each is None else element(each) for each in found] if isinstance(found, list) else value

    return convert


# --- SQLite's days and moments among others that are kept as dates -----------------------------------------------------


def day_among(attribute: str, otherwise: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A day. Other texts, which would sort apart from dates, are refused."""

    def convert(value: Any) -> Any:
        if not isinstance(value, str | date):
            return otherwise(value)
        found = day_of(value) if isinstance(value, str) else value
        if isinstance(found, date) and not isinstance(found, datetime):
            return found
        if isinstance(value, str) and DAY_TEXT.fullmatch(value):
            raise no_such_time(attribute, value, "date")
        raise ValueError(
            f"`{attribute}` holds dates and does not accept '{shown_time(value)}'", "give it as YYYY-MM-DD"
        )

    return convert


def day_of(text: str) -> date | None:
    """The day a text is written for."""
    try:
        return date.fromisoformat(text) if DAY_TEXT.fullmatch(text) else None
    except ValueError:
        return None


def moment_among(attribute: str, digits: int, zoned: bool, otherwise: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a converter to a moment, for a column whose texts have this many digits of a second.

    A value that is not a moment of this kind is passed to `otherwise`.
    """

    def convert(value: Any) -> Any:
        if not isinstance(value, str | date):
            return otherwise(value)
        found = moment_of(value, digits) if isinstance(value, str) else value
        if isinstance(found, datetime) and (found.tzinfo is not None) is zoned:
            kept = found if digits > 3 else whole_milliseconds(found)
            return kept.astimezone(UTC) if zoned else kept
        raise no_moment(attribute, value, digits, zoned)

    return convert


def moment_of(text: str, digits: int) -> datetime | None:
    """The moment a text is written for, in one of the forms the attribute has."""
    try:
        match = MOMENT.fullmatch(text)
        found = datetime.fromisoformat(text) if match else None
    except ValueError:
        return None
    if match is None or found is None or len(match[1] or "") not in FRACTIONS.get(digits, (6,)):
        return None
    is_finer = digits <= 3 and found.microsecond % 1000
    is_longer = digits == 0 and match[1] and not found.microsecond
    return None if is_finer or is_longer else found


def is_moment(text: str) -> bool:
    """Whether it is written for a moment the calendar and the clock have."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def no_such_time(attribute: str, text: str, kind: str) -> ValueError:
    """The error for a text in the attribute's form whose time does not exist."""
    return ValueError(
        f"`{attribute}` holds {kind}s, and there is no such {kind} as '{text}'", f"give a {kind} that exists"
    )


def shown_time(value: str | date) -> str:
    """A time as it is written."""
    return value if isinstance(value, str) else value.isoformat(*" " * isinstance(value, datetime))


def no_moment(attribute: str, value: str | date, digits: int, zoned: bool) -> ValueError:
    """The error for a value that is not a moment in a column of moments, with the next move."""
    text, zone = shown_time(value), "+00:00" * zoned
    if isinstance(value, str) and (match := MOMENT.fullmatch(text)) and not is_moment(text) and bool(match[2]) is zoned:
        return no_such_time(attribute, text, "timestamp")
    form = f"YYYY-MM-DD HH:MM:SS{FORMS.get(digits, '.ffffff')}{zone}"
    what = f"`{attribute}` holds timestamps written {form} and does not accept '{text}'"
    if isinstance(value, datetime):
        return ValueError(what, f"give a datetime {'with' if zoned else 'in UTC, without'} a zone")
    if isinstance(value, date):
        return ValueError(what, "give a datetime, or a text of that form")
    if digits <= 3 and re.search(r"\.\d{4,}", text):
        form = form.replace("SS", "SS[.fff000]") if digits == 0 else form
        what = f"`{attribute}` keeps milliseconds ({form}) and does not accept '{text}'"
        return ValueError(what, "give milliseconds, or design again from a source whose column has microseconds")
    return ValueError(what, f"write it as {form}")
