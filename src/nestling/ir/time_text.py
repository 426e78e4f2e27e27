"""Times of day as the texts they are kept as: `08:30:00`, `08:30:00.5`."""

from __future__ import annotations

import re

_TIME = re.compile(r"(-?)(\d{1,3}):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,6}))?)?([-+]\d\d(?::?\d\d)?)?", re.ASCII)


def read_time_of_day(text: str) -> str:
    """The time a text says, as it is kept; raises `ValueError` for what is none. MySQL's go beyond a day, and below 0."""
    found = _TIME.fullmatch(text.strip())
    if found is None:
        raise ValueError("a time is written hours:minutes:seconds")
    sign, hours, minutes, seconds, fraction, zone = found.groups(default="")
    digits = fraction.rstrip("0")
    return f"{sign}{hours:0>2}:{minutes}:{seconds or '00'}{'.' * bool(digits)}{digits}{zone}"
