"""Instants as BSON keeps them: dates of milliseconds, and ISO text for what is finer."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

NO_DATE = r"infinity$| BC$|^\d{5}|^0000|-00"
"""Texts that stand for what no date can be."""
INFINITIES = ("-infinity", "infinity")
"""PostgreSQL's infinite dates and moments."""
INSTANT_TEXT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z?", re.ASCII)
"""Instants that are kept as text."""


def infinite_text(value: object) -> str:
    """The text of an infinite date or moment in one spelling; empty for anything else."""
    text = value.strip().casefold() if isinstance(value, str) else ""
    return text if text in INFINITIES else ""


def rounded_to_millisecond(value: datetime) -> datetime:
    """The nearest instant a BSON date has."""
    rest = value.microsecond % 1000
    whole = value.replace(microsecond=value.microsecond - rest)
    try:
        return whole if rest < 500 else whole + timedelta(milliseconds=1)
    except OverflowError:  # the last there is
        return whole


def instant_text(value: datetime) -> str:
    """ISO text with six fraction digits, in UTC with a `Z` where the value has a zone: sorts in time order."""
    if value.tzinfo is not None:
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")
    return value.strftime("%Y-%m-%dT%H:%M:%S.%f").rjust(26, "0")
