"""Times of day and intervals as the texts they are kept as: `08:30:00`, `08:30:00.5`, `P1DT2H`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import TypeAlias

_TIME = re.compile(r"(-?)(\d{1,3}):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,6}))?)?([-+]\d\d(?::?\d\d)?)?", re.ASCII)

_MYSQL_TIME = re.compile(r"(-?)(\d{2,3})(:\d\d:\d\d(?:\.\d+)?)", re.ASCII)
_LONGEST = "838:59:59"

_NUMBER = r"([-+]?\d+)"
_ISO = re.compile(
    rf"P(?:{_NUMBER}Y)?(?:{_NUMBER}M)?(?:{_NUMBER}W)?(?:{_NUMBER}D)?"
    rf"(?:T(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:([-+]?\d+(?:\.\d{{1,6}})?)S)?)?",
    re.ASCII,
)
_ISO_UNITS = ("year", "month", "week", "day", "H", "M", "S")
_UNITS = {
    **dict.fromkeys(("year", "years", "yr", "yrs", "y"), "year"),
    **dict.fromkeys(("month", "months", "mon", "mons"), "month"),
    **dict.fromkeys(("week", "weeks", "w"), "week"),
    **dict.fromkeys(("day", "days", "d"), "day"),
    **dict.fromkeys(("hour", "hours", "hr", "hrs", "h"), "H"),
    **dict.fromkeys(("minute", "minutes", "min", "mins", "m"), "M"),
    **dict.fromkeys(("second", "seconds", "sec", "secs", "s"), "S"),
}
_MONTHS = {"year": 12, "month": 1}
_DAYS = {"week": 7, "day": 1}
_SECONDS = {"H": 3600, "M": 60, "S": 1}
_PART = re.compile(r"\s*([-+]?)\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", re.ASCII | re.IGNORECASE)
_CLOCK = re.compile(r"\s*([-+]?)\s*(\d{1,9}):([0-5]?\d)(?::([0-5]?\d(?:\.\d{1,6})?))?(?![\w:])\s*", re.ASCII)
IntervalParts: TypeAlias = tuple[Decimal, Decimal, Decimal]
"""Months, days and seconds, which PostgreSQL adds in this order."""


def read_time_of_day(text: str) -> str:
    """The time that a text denotes, as stored; raises `ValueError` for other texts. MySQL's go beyond a day, and below 0."""
    found = _TIME.fullmatch(text.strip())
    if found is None:
        raise ValueError("a time must be written hours:minutes:seconds")
    sign, hours, minutes, seconds, fraction, zone = found.groups(default="")
    digits = fraction.rstrip("0")
    return f"{sign}{hours:0>2}:{minutes}:{seconds or '00'}{'.' * bool(digits)}{digits}{zone}"


def clock_of(value: timedelta) -> str:
    """A duration as MySQL's TIME writes it: hours, which may pass a day, minutes and seconds, with a sign below 0."""
    sign, (seconds, micros) = "-" * (value < timedelta()), divmod(abs(value) // timedelta(microseconds=1), 1_000_000)
    minutes, seconds = divmod(seconds, 60)
    return read_time_of_day(f"{sign}{minutes // 60:02}:{minutes % 60:02}:{seconds:02}.{micros:06}")


def mysql_time(text: str, *, is_duration: bool) -> str:
    """The text of a time as MySQL's TIME keeps it; raises `ValueError` with the next move for what its column does not take.

    Only a column of durations takes times whose texts are not in the order of the times.
    """
    found = _MYSQL_TIME.fullmatch(text)
    if found is None:
        raise ValueError(f"MySQL's TIME has no time zone, but '{text}' does", "give it without one")
    if len(found[2]) == len("838") and found[2] + found[3] > _LONGEST:
        raise ValueError(f"'{text}' is out of range for MySQL's TIME", f"give one from -{_LONGEST} to {_LONGEST}")
    if not is_duration and (found[1] or len(found[2]) == len("838")):
        raise ValueError(
            f"the column is `time`, which cannot hold '{text}': it is below 0 or over 99 hours",
            "design from data that contains such times, or make its type `time as duration` in the model",
        )
    return text


def interval_of(value: timedelta) -> str:
    """A duration as PostgreSQL's interval: its days, then its time, each with its own sign."""
    return iso_interval(0, value.days, value.seconds * 1_000_000 + value.microseconds)


def read_interval(text: str) -> str:
    """The interval a text says, as it is kept: a duration of ISO 8601, or PostgreSQL's `1 year 2 days 03:04:05`."""
    months, days, seconds = interval_parts(text)
    return iso_interval(int(months), int(days), int(seconds * 1_000_000))


def interval_micros(text: str) -> int:
    """The microseconds PostgreSQL compares an interval by: a month has 30 days, a day 24 hours."""
    months, days, seconds = interval_parts(text)
    return int((months * 30 + days) * 86_400_000_000 + seconds * 1_000_000)


def interval_parts(text: str) -> IntervalParts:
    """The parts of an interval, in any order and with signs: `1 day - 2 hours`; raises `ValueError` for other texts.

    It also raises it for a fraction of a month or day, which PostgreSQL converts to days and hours.
    """
    words = text.strip()
    found = _ISO.fullmatch(words)
    if found is not None and re.search(r"\d", words):
        parts = [(unit, Decimal(number)) for unit, number in zip(_ISO_UNITS, found.groups(), strict=True) if number]
    else:
        parts = list(_in_words(words))
    months, days, seconds = (
        sum((number * size[unit] for unit, number in parts if unit in size), Decimal())
        for size in (_MONTHS, _DAYS, _SECONDS)
    )
    if months % 1 or days % 1:
        raise ValueError("an interval must have whole months and days")
    return months, days, seconds


def _in_words(text: str) -> Iterator[tuple[str, Decimal]]:
    """The units and how many of each: `1 mon`, `2 days`, `03:04:05`."""
    at = 0
    while at < len(text) or not text:
        clock, part = _CLOCK.match(text, at), _PART.match(text, at)
        if clock is not None:
            sign, at = f"{clock[1]}1", clock.end()
            yield from (
                (unit, int(sign) * Decimal(number or 0)) for unit, number in zip("HMS", clock.groups()[1:], strict=True)
            )
        elif part is not None and (unit := _UNITS.get(part[3].lower())) is not None:
            at = part.end()
            yield unit, Decimal(part[1] + part[2])
        else:
            raise ValueError("an interval must be an ISO 8601 duration, such as P1DT2H")


def iso_interval(months: int, days: int, micros: int) -> str:
    """An interval of ISO 8601 as PostgreSQL writes it."""
    sign, (seconds, rest) = -1 if micros < 0 else 1, divmod(abs(micros), 1_000_000)
    minutes, seconds = divmod(seconds, 60)
    years, months = int(months / 12), months - int(months / 12) * 12  # both of one sign
    day = "".join(f"{number}{unit}" for number, unit in ((years, "Y"), (months, "M"), (days, "D")) if number)
    time = "".join(f"{sign * number}{unit}" for number, unit in ((minutes // 60, "H"), (minutes % 60, "M")) if number)
    if seconds or rest:
        fraction = f".{rest:06}".rstrip("0") if rest else ""
        time += f"{'-' * (sign < 0)}{seconds}{fraction}S"
    return f"P{day}{'T' * bool(time)}{time}" if day or time else "PT0S"
