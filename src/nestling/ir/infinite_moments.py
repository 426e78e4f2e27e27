"""PostgreSQL's infinite dates and moments, which are no dates: the texts `infinity` and `-infinity`."""

from __future__ import annotations

from nestling.ir.types import TIMES, Type, TypeName

INFINITE = Type(TypeName.ENUM, values=("-infinity", "infinity"))
"""What dates and moments also are that may be infinite, and nothing else that is no date."""


def is_infinite(value: object) -> bool:
    """Whether it is the text of an infinite date or moment."""
    return isinstance(value, str) and value.strip().casefold() in INFINITE.values


def infinite(value: object, kind: Type) -> str | None:
    """The text in the one spelling it is kept in, where it is an infinite value of the type; else None."""
    known = kind.name in TIMES and isinstance(value, str) and is_infinite(value)
    return value.strip().casefold() if known and isinstance(value, str) else None
