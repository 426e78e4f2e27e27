"""Years of two digits, as MySQL reads them."""

from __future__ import annotations

_CENTURY, _FROM = 100, 70


def full_year(number: int) -> int:
    """1 to 69 are of this century, 70 to 99 of the last one; any other number is what it is."""
    if not 0 < number < _CENTURY:
        return number
    return number + (1900 if number >= _FROM else 2000)
