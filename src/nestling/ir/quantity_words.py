"""Counts and bytes as people read them."""

from __future__ import annotations

_UNITS = ("bytes", "kB", "MB", "GB", "TB")
STEP = 1000.0


def size(size_bytes: float) -> str:
    """Bytes: 1.2 MB."""
    amount, unit = float(size_bytes), 0
    while amount >= STEP and unit < len(_UNITS) - 1:
        amount, unit = amount / STEP, unit + 1
    return f"{amount:.0f} {_UNITS[unit]}" if unit == 0 or amount >= STEP / 10 else f"{amount:.1f} {_UNITS[unit]}"


def count(number: float) -> str:
    """A number: whole ones with thousands separators, others short."""
    return f"{number:,.0f}" if number >= STEP / 10 or number == int(number) else f"{number:,.1f}"


def counted(number: float, noun: str) -> str:
    """A number with its noun: 1 row, 2 rows, 3 entities."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count(number)} {noun if number == 1 else plural}"
