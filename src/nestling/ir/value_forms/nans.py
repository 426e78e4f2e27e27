"""NaN, which SQLite has not. Knows nothing else: emitted modules have copies of it."""

from __future__ import annotations

from decimal import Decimal
from math import isnan
from typing import Any


def nan_as_null(value: Any) -> Any:
    """A value as SQLite's drivers bind it: None for NaN, also in a list."""
    if isinstance(value, list | tuple | set | frozenset):
        return [nan_as_null(each) for each in value]
    is_nan = value.is_nan() if isinstance(value, Decimal) else isinstance(value, float) and isnan(value)
    return None if is_nan else value
