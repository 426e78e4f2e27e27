"""The calendar unit a moment lies in, by which buckets are distinguished: the moment where it begins."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

BEGINNINGS: dict[str, dict[str, Any]] = {
    "minute": {"second": 0, "microsecond": 0},
    "hour": {"minute": 0, "second": 0, "microsecond": 0},
    "day": {"hour": 0, "minute": 0, "second": 0, "microsecond": 0},
    "month": {"day": 1, "hour": 0, "minute": 0, "second": 0, "microsecond": 0},
}
"""What a moment has of each unit where that begins."""


def unit_start(value: Any, unit: str) -> datetime | None:
    """The beginning of the unit a date or moment lies in; None when it is neither."""
    if not isinstance(value, date):
        return None
    moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)  # noqa: DTZ001
    return moment.replace(**BEGINNINGS[unit])
