"""Counts, bytes and long texts as people read and write them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from nestling.common.errors import InputError, Problem

_UNITS = ("bytes", "kB", "MB", "GB", "TB")
STEP = 1000.0
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(?:([kmgt]?)(i?)b)", re.IGNORECASE | re.ASCII)
_POWERS = " kmgt"


def size(size_bytes: float) -> str:
    """A number of bytes in words: 1.2 MB."""
    amount, unit = float(size_bytes), 0
    while round(amount) >= STEP and unit < len(_UNITS) - 1:
        amount, unit = amount / STEP, unit + 1
    whole = unit == 0 or round(amount, 1) >= STEP / 10
    return f"{amount:.0f} {_UNITS[unit]}" if whole else f"{amount:.1f} {_UNITS[unit]}"


def read_size(text: str) -> int:
    """Bytes of a size as people write it: `500MB`, `20 GB`, `512 MiB`. Raises `InputError` for any other text."""
    match = _SIZE.fullmatch(text.strip())
    base = 1024.0 if match is not None and match[3] else STEP
    amount = float(match[1]) * base ** _POWERS.index(match[2].lower() or " ") if match is not None else 0.0
    if not 1 <= amount < math.inf:
        raise InputError(Problem(f"`{text}` is not a size: write it as 500MB, 20 GB or 512 MiB"))
    return round(amount)


def size_to_allow(size_bytes: float) -> str:
    """Bytes in words, rounded up, so that allowing the stated size is always enough."""
    step = 1.0
    while size_bytes / step >= STEP and step < STEP ** (len(_UNITS) - 1):
        step *= STEP
    digits = 1 if step > 1 and size_bytes / step < STEP / 10 else 0
    return size(math.ceil(round(size_bytes / step * 10**digits, 6)) / 10**digits * step)


def count(number: float) -> str:
    """A number: whole ones with thousands separators, others short."""
    return f"{number:,.0f}" if number >= STEP / 10 or number == int(number) else f"{number:,.1f}"


def short(amount: float) -> str:
    """An amount to three digits, and no shorter than whole: 0.0312, 45.6, 50,000."""
    return f"{amount:,.0f}" if abs(amount) >= STEP / 10 else f"{amount:.3g}"


def duration(seconds: float) -> str:
    """A time: milliseconds below a second, seconds above."""
    return f"{short(seconds * 1e3)} ms" if round(seconds * 1e3) < STEP else f"{short(seconds)} s"


UNDER = "under 1 ms"
LEAST_MEASURED = 1e-3
"""Seconds: servers measure whole milliseconds, and cut what is less off."""


def server_time(seconds: float) -> str:
    """A mean time that a server measured; of less than a millisecond no more is known."""
    return duration(seconds) if seconds >= LEAST_MEASURED else UNDER


def cell(value: object) -> str:
    """The text of a table cell: whole numbers with separators, short fractions, "" for None, everything else as text."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "" if value is None else str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def counted(number: float, noun: str) -> str:
    """A number with its noun: 1 row, 2 rows, 3 entities, 4 days, 5 indexes."""
    return f"{count(number)} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """The form of a noun for several: rows, entities, days, indexes."""
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def agreeing(number: float, one: str = "is", many: str = "are") -> str:
    """The form of a verb behind a number: 1 row is, 2 rows are."""
    return one if number == 1 else many


def cut(text: str, longest: int = 60) -> str:
    """A value or a piece of SQL as a message shows it: the beginning of a long one."""
    return text if len(text) <= longest else f"{text[:longest]}…"


def first_of(texts: Sequence[str], most: int) -> str:
    """The first few of many in a sentence: `a, b and 3 more`."""
    rest = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {rest} more" if rest > 0 else "")
