"""Instants as BSON keeps them: dates of milliseconds, and ISO text for what is finer."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

END = r"$(?!\n)"
"""The end of a text, in patterns for Python and for the server; `$` alone also fits before a last line break."""
_TWO = "[0-9]{2}"
_CLOCK = "([ T][-+0-9:.Z]+)?"
BEYOND_BSON_DATES = f"-?infinity|[0-9]{{5,}}-{_TWO}-{_TWO}{_CLOCK}( BC)?|[0-9]{{4}}-{_TWO}-{_TWO}{_CLOCK} BC"
"""PostgreSQL's days and moments that no BSON date can be: infinite, before year 1, after 9999."""
ZERO = f"(0000-{_TWO}-{_TWO}|[0-9]{{4}}-00-{_TWO}|[0-9]{{4}}-{_TWO}-00){_CLOCK}"
"""MySQL's: of the year, month or day zero."""
DATELESS = f"{BEYOND_BSON_DATES}|{ZERO}"
"""A pattern for both: dates too far away for BSON, and MySQL's zero dates."""
INSTANT = f"[0-9]{{4}}-{_TWO}-{_TWO}T{_TWO}:{_TWO}:{_TWO}\\.[0-9]{{6}}Z?"
"""A moment with microseconds, as `instant_text` writes it."""
WHOLE_MILLISECONDS = (
    "give milliseconds: value.replace(microsecond=value.microsecond // 1000 * 1000); or design again with --milliseconds, which"
    " cuts off what is finer; or, to keep microseconds, write timestamp(6) or timestamptz(6) as the column's type in the model"
    " file, and design again"
)
"""What to do about a moment with microseconds for a column of dates."""
INFINITIES = ("-infinity", "infinity")
"""PostgreSQL's infinite dates and moments."""
_DAY = "([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8})"
_OFFSET = "(Z|[-+][0-9]{2}(:?[0-9]{2}(:?[0-9]{2})?)?)"
_ISO_TEXT = re.compile(f"{_DAY}([ T][0-9]{{2}}:[0-9]{{2}}(:[0-9]{{2}}(\\.[0-9]{{1,6}})?)?{_OFFSET}?)?")
"""Days and moments in ISO form, without what Python reads besides: weeks, any sign before the time, a comma in the fraction."""
INSTANT_TEXT = re.compile(INSTANT)
"""Instants that are kept as text."""


def read_instant(text: str) -> datetime:
    """The moment of a text in ISO form, midnight of a day; raises `ValueError` for any other text."""
    trimmed = text.strip(" \t\n\v\f\r")
    if not _ISO_TEXT.fullmatch(trimmed):
        raise ValueError(f"'{text}' is no date or time in ISO form")
    return datetime.fromisoformat(trimmed)


def read_day(text: str) -> date:
    """The date of a text in ISO form; raises `ValueError` for any other text, and for one with a time of day."""
    found = read_instant(text)
    if ":" in text:
        raise ValueError(f"'{text}' has a time of day")
    return found.date()


def infinite_text(value: object) -> str:
    """The text of an infinite date or moment in one spelling; empty for anything else."""
    text = value.strip().casefold() if isinstance(value, str) else ""
    return text if text in INFINITIES else ""


def refuse_offset(text: str) -> None:
    """Raise `ValueError` with the next move for a moment with an offset, which MySQL and MariaDB read differently."""
    try:
        found = read_instant(text)
    except ValueError:
        return
    if found.tzinfo is not None:
        what = f"MySQL 8 applies the offset of '{text}', older versions and MariaDB drop or refuse it"
        raise ValueError(what, "give the time without an offset, as the column stores it")


def rounded_to_millisecond(value: datetime) -> datetime:
    """The nearest instant a BSON date has."""
    rest = value.microsecond % 1000
    whole = value.replace(microsecond=value.microsecond - rest)
    try:
        return whole if rest < 500 else whole + timedelta(milliseconds=1)
    except OverflowError:  # the last there is
        return whole


def cut_to_millisecond(value: datetime) -> datetime:
    """The last instant a BSON date has that is not later."""
    return value.replace(microsecond=value.microsecond // 1000 * 1000)


def whole_milliseconds(value: datetime) -> datetime:
    """The moment, which a BSON date keeps; one with microseconds is refused with the next move."""
    if value.microsecond % 1000 == 0:
        return value
    what = f"a column stored as a BSON date has milliseconds and cannot hold '{value.isoformat(' ')}'"
    raise ValueError(what, WHOLE_MILLISECONDS)


def instant_text(value: datetime) -> str:
    """ISO text with six fraction digits, in UTC with a `Z` where the value has a zone: sorts in time order."""
    if value.tzinfo is not None:
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")
    return value.strftime("%Y-%m-%dT%H:%M:%S.%f").rjust(26, "0")
