"""Values for columns: from a number, from a constant's text, beside another value, and of the form a LIKE asks for."""

from __future__ import annotations

import random
from contextlib import suppress
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

import sqlalchemy as sa

WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "Ödland", "jade's")
START = datetime(2012, 1, 1)  # noqa: DTZ001 - SQL's timestamps have no zone


def made(column: sa.Column[Any], number: int) -> Any:
    """The column's value for a number: equal numbers give equal values, in any column of the same type."""
    kind = column.type
    if isinstance(kind, sa.Boolean):
        return number % 2 == 0
    if isinstance(kind, sa.Integer):
        return number % 30_000 if isinstance(kind, sa.SmallInteger) else number
    if isinstance(kind, sa.Float):
        return number / 4
    if isinstance(kind, sa.Numeric):
        return _decimal(kind, Decimal(number) / 4)
    if isinstance(kind, sa.DateTime):
        return START + timedelta(hours=number % 9_000)
    if isinstance(kind, sa.Date):
        return START.date() + timedelta(days=number % 900)
    if isinstance(kind, sa.LargeBinary):
        return number.to_bytes(3, "big")
    text = f"{WORDS[number % len(WORDS)]} {number}"
    length = getattr(kind, "length", None)
    return text if length is None or len(text) <= length else str(number)[-length:]


def read(column: sa.Column[Any], text: str) -> Any:
    """A constant's text as the column's value; None when the column cannot hold it."""
    kind = column.type
    with suppress(ValueError, InvalidOperation):
        if isinstance(kind, sa.Boolean):
            return text.casefold() in ("true", "1")
        if isinstance(kind, sa.Integer):
            return int(Decimal(text))
        if isinstance(kind, sa.Float):
            return float(text)
        if isinstance(kind, sa.Numeric):
            return _decimal(kind, Decimal(text))
        if isinstance(kind, sa.DateTime):
            return datetime.fromisoformat(text)
        if isinstance(kind, sa.Date):
            return date.fromisoformat(text[:10])
        if isinstance(kind, sa.LargeBinary):
            return text.encode()
        length = getattr(kind, "length", None)
        return text if length is None or len(text) <= length else None
    return None


def varied(value: Any) -> tuple[Any, ...]:
    """The values just below and just above."""
    if isinstance(value, bool):
        return ()
    if isinstance(value, int | float | Decimal):
        return value - 1, value + 1
    if isinstance(value, datetime | date):
        return value - timedelta(days=1), value + timedelta(days=1)
    return (f"{value} ",) if isinstance(value, str) else ()


def like_text(pattern: str, choices: random.Random) -> str:
    """A text the pattern finds: wildcards become nothing, or a word."""
    return "".join(
        choices.choice(("", "xy", " so ")) if mark == "%" else "q" if mark == "_" else mark for mark in pattern
    )


def _decimal(kind: sa.Numeric[Any], value: Decimal) -> Decimal:
    """Within the precision, at the scale."""
    precision, scale = kind.precision, kind.scale or 0
    if precision is None:
        return value
    most = Decimal(10) ** (precision - scale)
    return (value % most).quantize(Decimal(1).scaleb(-scale))
