"""Numerals as SQLite reads them."""

from __future__ import annotations

INT64 = 1 << 63
"""The first number beyond the integers of 64 bits; its negative is the least of them."""
WORTH_AN_INTEGER = 1 << 51
"""Below this number SQLite converts a float to the integer it equals."""


def as_written(numeral: str) -> int | float:
    """An integer if it is written as one, and is one of 64 bits; else a float."""
    is_whole = numeral.lstrip("+-").isdecimal() and -INT64 <= int(numeral) < INT64
    return int(numeral) if is_whole else float(numeral)


def number_in(numeral: str) -> int | float:
    """The number as an integer if it is or equals one; otherwise as a float."""
    found = as_written(numeral)
    if isinstance(found, int):
        return found
    return int(found) if found.is_integer() and abs(found) < WORTH_AN_INTEGER else found


def float_text(value: float) -> str:
    """A float as SQLite shows it: with 15 digits at most, a point and no sign of zero."""
    if value in (float("inf"), float("-inf")):
        return "Inf" if value > 0 else "-Inf"
    mantissa, _, exponent = f"{value + 0.0:.15g}".partition("e")
    mantissa = mantissa if "." in mantissa else f"{mantissa}.0"
    return f"{mantissa}e{exponent}" if exponent else mantissa
