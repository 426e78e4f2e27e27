"""Numbers that floats of every width hold, and show, alike."""

from __future__ import annotations

import struct
from decimal import Decimal

from nestling.ir.constraints.allowed import Scalar

_DIGITS = 6
"""Decimal digits that every width of float keeps."""


def is_any_float(value: Scalar) -> bool:
    """Whether floats of every width, and the decimal texts of them, compare alike with a number."""
    try:
        single = Decimal(struct.unpack("f", struct.pack("f", float(value)))[0])
    except OverflowError:
        return False
    return single == value and len(Decimal(value).normalize().as_tuple().digits) <= _DIGITS
