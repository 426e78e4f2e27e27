"""How often a statement runs, as text: `900/s`, `2/day`; inside nestling a rate is executions a second."""

from __future__ import annotations

import re
from math import inf

from nestling.common.errors import InputError, Problem

_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0, "day": 86400.0}
_TEXT_FORM = re.compile(r"\s*([-+0-9.eE]+)\s*/\s*(s|min|h|day)\s*")


def parse_rate(text: str) -> float:
    """Read `900/s`, `5/min`, `3/h` or `2/day` as executions a second; raises `InputError`."""
    match = _TEXT_FORM.fullmatch(text)
    try:
        rate = float(match[1]) / _SECONDS[match[2]] if match else 0.0
    except ValueError:
        rate = 0.0
    if not 0 < rate < inf:
        raise InputError(Problem(what=f"`{text}` is no rate", next_move="write `900/s`, `5/min`, `3/h` or `2/day`"))
    return rate


def rate_text(rate_per_second: float) -> str:
    """The text of a rate that reads back as the same number, in a unit that makes it a whole number where one does."""
    for unit, seconds in _SECONDS.items():
        text = f"{rate_per_second * seconds:g}"
        if float(text) / seconds == rate_per_second and float(text) >= 1:
            return f"{text}/{unit}"
    return f"{rate_per_second!r}/s"


def factor_between(one: float, other: float) -> float:
    """How many times the smaller of two numbers the larger is; infinite when the smaller is 0."""
    small, large = sorted((one, other))
    return large / small if small > 0 else inf
