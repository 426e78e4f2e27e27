"""The declared fractional digits of a second in a column: `timestamp(0)`, `DATETIME(3)`."""

from __future__ import annotations

from dataclasses import dataclass

from nestling.common.errors import InputError, Problem
from nestling.ir.types import BSON_DIGITS, MOMENTS, Type, TypeName

MOST_DIGITS = 6
"""Digits of the finest columns of PostgreSQL and MySQL. Such a column stores values unchanged."""
_TIMES = MOMENTS | {TypeName.TIME}


@dataclass(frozen=True, slots=True)
class Fraction:
    """How many fractional digits of a second a column stores; further digits are rounded, or `cut` off.

    `source_is_finer`: the source's column has more digits, which are cut off when its rows are read.
    """

    digits: int
    cut: bool = False
    source_is_finer: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.digits < MOST_DIGITS:
            what = f"a column keeps 0 to {MOST_DIGITS} digits of a second's fraction, not {self.digits}"
            raise InputError(Problem(what, next_move="write `fraction_digits: 3`"))
        if self.source_is_finer and (self.digits, self.cut) != (BSON_DIGITS, True):
            what = f"finer timestamps can only be cut to {BSON_DIGITS} digits of a second"
            move = f"write `fraction_digits: {BSON_DIGITS}` and `fraction_cut: true`"
            raise InputError(Problem(what, next_move=move))

    def __str__(self) -> str:
        return f"{self.digits} digits of a second, {'cut' if self.cut else 'rounded'}"

    @staticmethod
    def of(digits: int | None, *, cut: bool = False, source_is_finer: bool = False) -> Fraction | None:
        """The fraction with this many digits; None if all possible digits are stored."""
        return None if digits is None or digits == MOST_DIGITS else Fraction(digits, cut, source_is_finer)


def has_fraction(kind: Type) -> bool:
    """Whether values of the type, or its elements, have a time of day."""
    return (kind.element or kind).name in _TIMES
