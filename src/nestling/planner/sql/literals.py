"""Constants as a statement writes them, read as what they are."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from decimal import Context, Decimal
from uuid import UUID

from nestling.ir.statements.expression import Cast, Expression, Literal
from nestling.ir.statements.operators import Rules
from nestling.ir.types import ANY_CHAR, FLOAT, INTEGER, NUMBERS, TEXT, TIMETZ, Type, TypeName
from nestling.ir.value_forms.infinite_moments import infinite
from nestling.ir.value_forms.instants import read_day, read_instant
from nestling.ir.value_forms.numeral import as_written, number_in
from nestling.ir.value_forms.time_text import read_time_of_day

DECIMAL = Type(TypeName.DECIMAL)
_BSON = Context(prec=34)
"""A context with as many digits as a Decimal128."""
_DIGITS = "[0-9A-Fa-f]{4}(?:-?[0-9A-Fa-f]{4}){7}"
UUID_TEXT = re.compile(rf"{_DIGITS}|\{{{_DIGITS}\}}")
"""A UUID as PostgreSQL reads it: in any case, with hyphens between any groups of four, with or without braces."""

HEX_BYTES = re.compile(r"\\x(?:[0-9A-Fa-f]{2}\s*)*", re.ASCII)
"""PostgreSQL's bytes in hexadecimal digits."""


def number_literal(value: str) -> Literal:
    """A numeral as SQLite reads it: an integer if it is one (or, as a text, equals one), else a float."""
    found = number_in(value)
    return Literal(found, INTEGER if isinstance(found, int) else FLOAT)


def number_as_written(value: str) -> Literal:
    """A numeral as SQLite's functions of numbers read it: `10.0` is a float."""
    found = as_written(value.strip())
    return Literal(found, INTEGER if isinstance(found, int) else FLOAT)


def decimal_literal(digits: str) -> Literal:
    """An exact number, which is written out: `1e3` is 1000."""
    found = Decimal(digits)
    is_short = isinstance(exponent := found.as_tuple().exponent, int) and exponent > 0 and found.adjusted() < _BSON.prec
    return Literal(found.quantize(Decimal(1), context=_BSON) if is_short else found, DECIMAL)


def instant_literal(value: date, wanted: Type) -> Literal:
    """A day or an instant as a constant of that type; the session's time zone is taken to be UTC."""
    found = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)  # noqa: DTZ001
    zoned = found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)
    return Literal(zoned if wanted.name is TypeName.TIMESTAMPTZ else found.replace(tzinfo=None), wanted)


def constant_of(value: str, wanted: Type) -> Expression:
    """A constant of that type as PostgreSQL reads it: infinite dates and moments too, a `char` without its last blanks, and no
    digits in groups.
    """
    if wanted.is_char:
        return Literal(value.rstrip(" "), ANY_CHAR)
    if wanted.name is TypeName.BYTES and HEX_BYTES.fullmatch(value):
        return Literal(bytes.fromhex(value[2:]), wanted)
    if wanted.name is TypeName.BYTES and "\\" not in value:
        return Literal(value.encode(), wanted)
    if wanted.name in NUMBERS and "_" in value:
        return Cast(Literal(value, TEXT), wanted, Rules.POSTGRESQL)
    endless = infinite(value, wanted)
    return typed_literal(value, wanted) if endless is None else Literal(endless, wanted)


def typed_literal(value: str, wanted: Type) -> Expression:
    """A constant of that type when the text is one as people write it; else the cast that says whether it is."""
    try:
        match wanted.name:
            case TypeName.TEXT | TypeName.ENUM | TypeName.ANY:
                return Literal(value, TEXT)
            case TypeName.INTEGER:
                return Literal(int(value), INTEGER)
            case TypeName.DECIMAL:
                return decimal_literal(value)
            case TypeName.FLOAT:
                return Literal(float(value), FLOAT)
            case TypeName.DATE:
                return Literal(read_day(value), wanted)
            case TypeName.TIME:
                return _time_of_day(value, wanted)
            case TypeName.TIMESTAMP | TypeName.TIMESTAMPTZ:
                return instant_literal(read_instant(value), wanted)
            case TypeName.UUID if UUID_TEXT.fullmatch(value):
                return Literal(UUID(value), wanted)
            case _:
                return Cast(Literal(value, TEXT), wanted, Rules.POSTGRESQL)
    except (ValueError, ArithmeticError):
        return Cast(Literal(value, TEXT), wanted, Rules.POSTGRESQL)


def _time_of_day(value: str, wanted: Type) -> Literal:
    text = read_time_of_day(value)
    if bool(set(text[1:]) & set("+-")) is not (wanted.carried == TIMETZ):
        raise ValueError("a zone where there is none, or none where there is one")
    return Literal(text, wanted)
