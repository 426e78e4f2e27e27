"""SQLite compares dates as texts. A column's texts sort as its dates do, so each comparison has an instant as its boundary."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from bson.datetime_ms import DatetimeMS

from nestling.ir.conversions import given
from nestling.ir.types import Type, TypeName


class Grain(StrEnum):
    """The form of a column's date texts: `2024-01-31`, `2024-01-31 10:00:00`, or the latter with three or six more digits.

    Seconds are used for columns that had nothing finer: milliseconds written since have six digits, as drivers write them.
    """

    DAY = "day"
    SECOND = "seconds"
    MILLISECOND = "milliseconds"
    MICROSECOND = "microseconds"


def grain_of(kind: Type) -> Grain | None:
    """The grain of a date or timestamp type; None for types not stored as BSON dates."""
    if kind.name is TypeName.DATE:
        return Grain.DAY
    if kind.name is not TypeName.TIMESTAMP:
        return None
    return {0: Grain.SECOND, 1: Grain.MICROSECOND, 2: Grain.MICROSECOND, 3: Grain.MILLISECOND}.get(kind.fraction_digits)


def instant_with(text: str, grain: Grain) -> datetime | None:
    """The instant with this text; None if no instant has it."""
    found = given.first_from(grain, exact=True)(text)
    return found if isinstance(found, datetime) else None


def first_from(text: str, grain: Grain, *, after: bool = False) -> datetime | DatetimeMS:
    """The first instant whose text is at least `text` (`after`: greater than it)."""
    found: datetime | DatetimeMS = given.first_from(grain, after)(text)
    return found
