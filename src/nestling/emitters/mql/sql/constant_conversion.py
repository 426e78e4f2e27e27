"""SQLite's conversions of constants, done while compiling, or when a parameter is bound."""

from __future__ import annotations

from nestling.ir.conversions import given
from nestling.ir.conversions.conversion import Convert
from nestling.ir.statements.operators import Affinity
from nestling.ir.types import TypeName

CASTS: dict[TypeName, Convert] = {
    TypeName.TEXT: given.number_as_text,
    TypeName.INTEGER: given.cast_to_integer,
    TypeName.FLOAT: given.cast_to_float,
    TypeName.DECIMAL: given.cast_to_decimal,
    TypeName.ANY: given.cast_to_number,
    TypeName.BOOLEAN: given.cast_to_truth,
}
"""The conversions of CAST (BOOLEAN is a condition); values other than numbers and texts stay unchanged."""
AFFINITIES: dict[Affinity, Convert] = {Affinity.NUMERIC: given.numeric, Affinity.TEXT: given.number_as_text}
"""BLOB changes nothing."""


def cast_constant(value: object, kind: TypeName) -> object:
    """A number, text, bytes or NULL as converted by a cast; anything else, and bytes cast to text, unchanged."""
    is_cast = kind in CASTS and isinstance(value, bool | int | float | str | bytes)
    found: object = CASTS[kind](value) if is_cast else value
    return found


def affine(value: object, affinity: Affinity | None) -> object:
    """SQLite's affinity applied to a constant."""
    found: object = AFFINITIES[affinity](value) if affinity in AFFINITIES else value
    return found
