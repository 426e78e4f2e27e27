"""Constants: literals and parameters as BSON values, and as aggregation expressions that can never be taken for operators."""

from __future__ import annotations

from datetime import date, datetime
from uuid import UUID

from bson import Binary

from nestling.ir.statements.expression import Literal
from nestling.ir.types import BSON_DIGITS
from nestling.ir.value_forms.instants import instant_text
from nestling.ir.values import encode

MqlValue = object


def bson_value(literal: Literal) -> object:
    """A literal as stored."""
    value = literal.value
    if isinstance(value, UUID):
        return Binary.from_uuid(value)
    if isinstance(value, datetime) and literal.type.fraction_digits > BSON_DIGITS:
        return instant_text(value)
    if literal.type.subtype and isinstance(value, bytes):
        return Binary(value, literal.type.subtype)
    return encode(value)


def inline(value: object) -> MqlValue:
    """A BSON value inside an expression, wrapped only where it could be taken for something else."""
    if isinstance(value, str) and not value.startswith("$"):
        return value
    plain = value is None or isinstance(value, bool | int | float | bytes | datetime | date)
    return value if plain else {"$literal": value}


def is_inline(mql: MqlValue) -> bool:
    """Whether the expression is a constant as `inline` writes it."""
    if isinstance(mql, dict):
        return set(mql) == {"$literal"}
    return not (isinstance(mql, str) and mql.startswith("$")) and not isinstance(mql, list)


def literal_value(mql: MqlValue) -> object:
    """The value of a constant `inline` wrote."""
    return mql["$literal"] if isinstance(mql, dict) else mql


def as_literal(mql: MqlValue) -> MqlValue:
    """Mark a constant as `$literal`, so that no stage misreads it, and `bind` protects it in branches that are never taken."""
    return {"$literal": literal_value(mql)} if is_inline(mql) else mql
