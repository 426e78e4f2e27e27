"""Which types no column of any database has: lengths and digits that cannot be, values that are listed twice."""

from __future__ import annotations

from nestling.ir.quantity_words import counted
from nestling.ir.text.sql_quotes import sql_text
from nestling.ir.types import Type, TypeName

_LENGTH = (0, (1 << 32) - 1)
"""Characters: `char(0)` is a type of MySQL's, and so are texts of this length."""
_DIGITS = (1, 1_000)
_SCALE = (-1_000, 1_000)
"""Digits of a decimal, and those after its point; as PostgreSQL has them these may be more than there are, or below none."""
_FRACTION = (0, 9)
_NUMBERS = {
    TypeName.TEXT: (("length", _LENGTH),),
    TypeName.BYTES: (("length", _LENGTH),),
    TypeName.BITS: (("length", (1, _LENGTH[1])),),
    TypeName.DECIMAL: (("number of digits", _DIGITS), ("scale", _SCALE), ("scale it is computed with", _SCALE)),
    TypeName.TIME: (("number of fraction digits", _FRACTION),),
    TypeName.TIMESTAMP: (("number of fraction digits", _FRACTION),),
    TypeName.TIMESTAMPTZ: (("number of fraction digits", _FRACTION),),
}


def type_mistake(kind: Type) -> str:
    """Why the type does not exist; empty if it does."""
    if kind.element is not None:
        return type_mistake(kind.element)
    if again := [value for number, value in enumerate(kind.values) if value in kind.values[:number]]:
        return f"{sql_text(again[0])} is listed twice"
    known = _NUMBERS.get(kind.name)
    if known is None:
        return ""
    if len(kind.numbers) > len(known):
        return f"it has {counted(len(known), 'number')} at most"
    for (what, (least, most)), number in zip(known, kind.numbers, strict=False):
        if not least <= number <= most:
            return f"its {what} is {least:,} to {most:,}"
    return ""
