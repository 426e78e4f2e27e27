"""PostgreSQL's infinite dates and moments, which BSON dates cannot express: the texts `infinity` and `-infinity`."""

from __future__ import annotations

from nestling.ir.types import TIMES, Type, TypeName
from nestling.ir.value_forms.instants import INFINITIES, infinite_text

INFINITE = Type(TypeName.ENUM, values=INFINITIES)
"""The further type of dates and moments that may be infinite."""


def infinite(value: object, kind: Type) -> str | None:
    """The text in the one spelling it is kept in, where it is an infinite value of the type; else None."""
    return infinite_text(value) or None if kind.name in TIMES else None
