"""MySQL's zero dates, which BSON dates cannot express: texts, each in one spelling, that sort before every date."""

from __future__ import annotations

import re

from nestling.ir.types import Type, TypeName

_ZERO = re.compile(r"0000-00-00(?:[ T]00:00:00(?:\.0*)?)?", re.ASCII)


def is_zero(value: object) -> bool:
    """Whether it is the text of a zero date, with a time of day or without."""
    return isinstance(value, str) and _ZERO.fullmatch(value.strip()) is not None


def zero_of(kind: Type) -> str:
    """The zero date as values of the type spell it."""
    return "0000-00-00" if kind.name is TypeName.DATE else "0000-00-00 00:00:00"
