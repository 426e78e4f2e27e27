"""SQLite compares dates as texts. A column's texts sort as its dates do, so each comparison has an instant as its boundary."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from bson.datetime_ms import DatetimeMS

from nestling.ir.types import Type, TypeName

_FIRST = datetime(1, 1, 1)  # noqa: DTZ001 - naive means UTC in BSON
_BEYOND_FIRST = timedelta(days=3_652_059)
_BEYOND = DatetimeMS(253_402_300_800_000)
"""The first instant of the year 10000: after every date there can be."""


class Grain(StrEnum):
    """The texts a column's dates are: `2024-01-31`, `2024-01-31 10:00:00`, and the latter with three or six digits more.

    Seconds are those of columns that had nothing finer: milliseconds written since have six digits, as drivers write them.
    """

    DAY = "day"
    SECOND = "seconds"
    MILLISECOND = "milliseconds"
    MICROSECOND = "microseconds"


def grain_of(kind: Type) -> Grain | None:
    """The grain of a date or timestamp type; None for those not stored as BSON dates."""
    if kind.name is TypeName.DATE:
        return Grain.DAY
    if kind.name is not TypeName.TIMESTAMP:
        return None
    return {0: Grain.SECOND, 1: Grain.MICROSECOND, 2: Grain.MICROSECOND, 3: Grain.MILLISECOND}.get(kind.fraction_digits)


def text_of(instant: datetime, grain: Grain) -> str:
    """The text of an instant; one that is finer than the grain has all its digits."""
    if grain is Grain.DAY:
        return instant.date().isoformat()
    is_finer = grain is Grain.SECOND or instant.microsecond % 1000
    return instant.isoformat(" ", "auto" if is_finer else grain.value)


def instant_with(text: str, grain: Grain) -> datetime | None:
    """The instant whose text this is; None for a text no instant has."""
    first = first_from(text, grain)
    return first if isinstance(first, datetime) and text_of(first, grain) == text else None


def first_from(text: str, grain: Grain, *, after: bool = False) -> datetime | DatetimeMS:
    """The first instant whose text is at least `text` (`after`: greater than it), found by bisection."""
    step = timedelta(days=1) if grain is Grain.DAY else timedelta(milliseconds=1)
    low, high = 0, (_BEYOND_FIRST // step)
    while low < high:
        middle = (low + high) // 2
        found = text_of(_FIRST + middle * step, grain)
        if found > text or (found == text and not after):
            high = middle
        else:
            low = middle + 1
    try:
        return _FIRST + low * step
    except OverflowError:
        return _BEYOND
