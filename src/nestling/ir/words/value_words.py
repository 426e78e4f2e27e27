"""A value of a row as messages show it."""

from __future__ import annotations

from datetime import date, time, timedelta
from decimal import Decimal
from uuid import UUID

from nestling.ir.quantity_words import cut


def value_words(value: object) -> str:
    """Texts in quotes, moments and numbers as they are, the beginning of what is long."""
    match value:
        case None:
            return "NULL"
        case date() | time() | timedelta() | Decimal() | UUID():
            return str(value)
        case bytes():
            return cut(f"0x{value.hex()}")
        case _:
            return cut(repr(value))
