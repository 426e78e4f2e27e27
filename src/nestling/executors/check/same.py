"""Whether two stored values are the same, where the last digits of sums depend on the order of the rows."""

from __future__ import annotations

import math

from bson import Decimal128

RELATIVE = 1e-9


def nearly_same(one: object, other: object) -> bool:
    """Whether both are numbers that differ in no more than the rounding of a sum."""
    left, right = _number(one), _number(other)
    if left is None or right is None:
        return False
    return math.isclose(left, right, rel_tol=RELATIVE) or (math.isnan(left) and math.isnan(right))


def _number(value: object) -> float | None:
    if isinstance(value, Decimal128):
        value = float(value.to_decimal())
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
