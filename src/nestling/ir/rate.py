"""How often a statement runs, as text: `900/s`, `2/day`; inside nestling a rate is executions a second."""

from __future__ import annotations

import re
from math import inf

from nestling.common.errors import InputError, Problem
from nestling.ir.quantity_words import short
from nestling.ir.time_units import SHORT_UNITS, seconds_of

_SECONDS = {unit: seconds for unit, seconds in SHORT_UNITS.items() if seconds >= 1}
_WHOLE = r"\d{1,3}(?:,\d{3})+(?![\d_,])|\d[\d_]*"  # a comma is for thousands: with any other, `1,5/s` would be 15
_RATE = re.compile(rf"^\s*((?:{_WHOLE})(?:\.\d+)?(?:e[-+]?\d+)?|\.\d+)\s*(?:/|per)\s*([a-z]+)(?![\w/])", re.IGNORECASE)
_NUMBER = re.compile(r"\s*(\d+(?:\.\d+)?)\s*")
LEAST_PER_SECOND, MOST_PER_SECOND = 1e-9, 1e9
"""Once in 32 years, and more than any server answers: other rates must be mistakes, except 0, which is one of no weight."""


def read_rate(text: str) -> float | None:
    """Executions per second at the beginning of the text, ignoring the rest; None without a rate or if out of bounds."""
    rate = _written_rate(text)
    return rate if rate is not None and (rate == 0 or LEAST_PER_SECOND <= rate <= MOST_PER_SECOND) else None


def _written_rate(text: str) -> float | None:
    match = _RATE.match(text)
    if match is None or (seconds := seconds_of(match[2])) is None:
        return None
    return float(match[1].replace(",", "").replace("_", "")) / seconds


def no_rate(text: str) -> Problem:
    """The problem of a text that is not a rate, with what to write instead."""
    number, written = _NUMBER.fullmatch(text), _written_rate(text)
    known = ""
    if written is not None and written > MOST_PER_SECOND:
        known = f"it is more than {MOST_PER_SECOND:,.0f}/s"
    elif written is not None and 0 < written < LEAST_PER_SECOND:
        known = f"it is less than {LEAST_PER_SECOND:g}/s, once in 32 years"
    move = f"add the unit of time: write `{number[1]}/s`" if number else "write `900/s`, `5/min`, `3/h` or `2/day`"
    return Problem(what=f"`{text.strip()}` is not a rate", known=known, next_move=move)


def parse_rate(text: str) -> float:
    """Read `900/s`, `5/min`, `3/h` or `2/day` as executions per second, `0/s` as one of no weight.

    Raises `InputError` for any other text.
    """
    match, rate = _RATE.match(text), read_rate(text)
    if match is None or rate is None or text[match.end() :].strip():
        raise InputError(no_rate(text))
    return weighed_rate(rate)


def weighed_rate(rate_per_second: float) -> float:
    """The rate a design is weighed with: for 0 the least there is, as the design must answer the statement all the same."""
    return rate_per_second or LEAST_PER_SECOND


def rate_text(rate_per_second: float) -> str:
    """The text of a rate that reads back as the same number, if possible in a unit that makes it a whole number."""
    for unit, seconds in _SECONDS.items():
        text = f"{rate_per_second * seconds:g}"
        if float(text) / seconds == rate_per_second and float(text) >= 1:
            return f"{text}/{unit}"
    return f"{rate_per_second!r}/s"


def full_rate(per_second: float) -> str:
    """A rate for people, with all its digits: 20,000/s."""
    number, _, unit = rate_text(per_second).partition("/")
    whole = float(number).is_integer()
    return f"{float(number):,.0f}/{unit}" if whole else f"{float(number):,g}/{unit}"


def short_rate(per_second: float) -> str:
    """A rate to three digits, in the unit it reads best in."""
    unit = next((unit for unit, seconds in _SECONDS.items() if per_second * seconds >= 1), "day")
    return f"{short(per_second * _SECONDS[unit])}/{unit}"


def factor_between(one: float, other: float) -> float:
    """The larger of two numbers divided by the smaller; infinite if the smaller is 0."""
    small, large = sorted((one, other))
    return large / small if small > 0 else inf
