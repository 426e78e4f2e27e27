"""Years as MySQL's YEAR keeps them, and of two digits as it reads them."""

from __future__ import annotations

CENTURY = 100
LAST_CENTURY_FROM = 70
FIRST_YEAR = 1901
LAST_YEAR = 2155
"""The last year of a YEAR, which also holds 0."""


def full_year(number: int) -> int:
    """1 to 69 are of this century, 70 to 99 of the last one; any other number is what it is."""
    if not 0 < number < CENTURY:
        return number
    return number + (1900 if number >= LAST_CENTURY_FROM else 2000)
