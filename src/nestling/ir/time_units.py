"""Units of time as people write them, in seconds."""

from __future__ import annotations

SECONDS_PER_DAY = 86_400.0
SHORT_UNITS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "day": SECONDS_PER_DAY}
"""The units that texts are written in."""
SECONDS_OF = {
    **SHORT_UNITS,
    "sec": 1.0,
    "second": 1.0,
    "minute": 60.0,
    "hour": 3600.0,
    "d": SECONDS_PER_DAY,
    "week": 7 * SECONDS_PER_DAY,
    "month": 30.4375 * SECONDS_PER_DAY,
    "year": 365.25 * SECONDS_PER_DAY,
}
"""All that are read; months and years are those of the calendar's mean."""
_LEAST_IN_PLURAL = len("min")


def seconds_of(unit: str) -> float | None:
    """The seconds of a unit, whatever its case and number: `h`, `hour` and `Hours`. None for another word."""
    word = unit.casefold()
    one = word.removesuffix("s")
    return SECONDS_OF.get(word) or (SECONDS_OF.get(one) if len(one) >= _LEAST_IN_PLURAL else None)
