"""SQLite's conversions of constants, done while compiling, or when a parameter is bound."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import assert_never

from nestling.ir.expression import Affinity
from nestling.ir.types import TypeName

_SPACE = r"[ \t\n\v\f\r]*"
_NUMERAL = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
_NUMBER = re.compile(f"{_SPACE}{_NUMERAL}{_SPACE}", re.ASCII)
_PREFIX = re.compile(f"{_SPACE}{_NUMERAL}", re.ASCII)
_INTEGER_PREFIX = re.compile(f"{_SPACE}([-+]?\\d+)", re.ASCII)
_INT64 = 1 << 63
CASTS = frozenset({TypeName.INTEGER, TypeName.FLOAT, TypeName.DECIMAL, TypeName.ANY, TypeName.TEXT, TypeName.BOOLEAN})


def cast_constant(value: object, kind: TypeName) -> object:
    """A number, text or NULL as SQLite's CAST (BOOLEAN: as a condition) makes it; anything else as it is."""
    if not isinstance(value, bool | int | float | str):
        return value
    match kind:
        case TypeName.TEXT:
            return value if isinstance(value, str) else number_text(value)
        case TypeName.INTEGER:
            return _integer(value)
        case TypeName.FLOAT:
            return float(_prefix_number(value))
        case TypeName.DECIMAL:
            return _prefix_number(value, as_written)
        case TypeName.ANY:
            return _prefix_number(value)
        case TypeName.BOOLEAN:
            return _prefix_number(value) != 0
        case _:
            return value


def _prefix_number(value: float | str, read: Callable[[str], int | float] | None = None) -> int | float:
    if not isinstance(value, str):
        return int(value) if isinstance(value, bool) else value
    match = _PREFIX.match(value)
    return (read or number)(match[1]) if match else 0


def _integer(value: float | str) -> int:
    """Truncated, and to the nearest 64-bit integer."""
    if isinstance(value, str):
        match = _INTEGER_PREFIX.match(value)
        found: float = int(match[1]) if match else 0
    else:
        found = value
    nearest = min(max(found, -_INT64), _INT64 - 1)  # before int(), which knows no infinity
    return min(int(nearest), _INT64 - 1)


def affine(value: object, affinity: Affinity | None) -> object:
    """SQLite's affinity applied to a constant."""
    match affinity:
        case None | Affinity.BLOB:
            return value
        case Affinity.NUMERIC:
            match = _NUMBER.fullmatch(value) if isinstance(value, str) else None
            return number(match[1]) if match else value
        case Affinity.TEXT:
            return number_text(value) if isinstance(value, int | float) else value
        case _:
            assert_never(affinity)


def as_written(numeral: str) -> int | float:
    """A numeral as arithmetic takes it: an integer if it is written as one, else a float."""
    is_whole = numeral.lstrip("+-").isdecimal() and -_INT64 <= int(numeral) < _INT64
    return int(numeral) if is_whole else float(numeral)


def number(numeral: str) -> int | float:
    """A numeral as SQLite reads it: an integer if it is one or is worth one, else a float."""
    if numeral.lstrip("+-").isdecimal() and -_INT64 <= int(numeral) < _INT64:
        return int(numeral)
    found = float(numeral)
    return int(found) if found.is_integer() and abs(found) < 1 << 51 else found


def number_text(value: float) -> str:
    """A number as SQLite shows it: a float by 15 digits. Halfway between two of them its versions take one or the other."""
    if isinstance(value, int):
        return str(int(value))
    if value in (float("inf"), float("-inf")):
        return "Inf" if value > 0 else "-Inf"
    shown = f"{value:.15g}"
    mantissa, _, exponent = shown.partition("e")
    mantissa = mantissa if "." in mantissa else f"{mantissa}.0"
    return f"{mantissa}e{exponent}" if exponent else mantissa
