"""Which values of a row differ, when the server found that one does. The last digits of sums do not count."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from bson import Decimal128

from nestling.ir.drift import Check, ComparedValue
from nestling.ir.programs.program import MISSING
from nestling.ir.value_forms.canonical import stored_bytes

RELATIVE = 1e-9
"""Sums differ with the order of the rows by no more."""


def differing_values(check: Check, row: Mapping[str, Any]) -> tuple[ComparedValue, ...]:
    """The values of the row that are not what they must be; none where it is a matter of rounding alone."""
    if len(check.values) == 1 and not check.inexact:
        return check.values
    unequal = (
        each
        for each in check.values
        if not _is_equal(row.get(each.expected, _nothing(each)), row.get(each.found, _nothing(each)))
    )
    if not check.inexact:
        return tuple(unequal)
    return tuple(each for each in unequal if not _is_near(row.get(each.expected), row.get(each.found)))


def _nothing(value: ComparedValue) -> object:
    """What a value that is missing is compared as."""
    return None if value.null_or_missing else MISSING


def _is_equal(one: object, other: object) -> bool:
    if one is MISSING or other is MISSING:
        return one is other
    left, right = _number(one), _number(other)
    if left is not None and right is not None:
        return left == right or (left.is_nan() and right.is_nan())
    return stored_bytes(one) == stored_bytes(other)


def _is_near(one: object, other: object) -> bool:
    left, right = _number(one), _number(other)
    return left is not None and right is not None and math.isclose(left, right, rel_tol=RELATIVE)


def _number(value: object) -> Decimal | None:
    if isinstance(value, Decimal128):
        return value.to_decimal()
    return Decimal(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
