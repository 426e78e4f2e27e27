"""Every derived thing of a loaded design, compared with what its homes imply."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from bson.decimal128 import Decimal128
from pymongo.database import Database

from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import documents
from nestling.ir.design import Design
from nestling.planner.upkeep import implied_read, upkeeps_of

Difference = tuple[str, dict[str, Any]]


def differences(design: Design, database: Database[Any]) -> list[Difference]:
    """The holders whose stored value is not the implied one, by the id of the upkeep."""
    found: list[Difference] = []
    for upkeep in upkeeps_of(design):
        read = implied_read(upkeep, design, with_found=True)
        for row in documents(database, compiled_read(read.plan)):
            for (_, value), stored in zip(read.values, read.found, strict=True):
                if not same(row.get(value, _MISSING), row.get(stored, _MISSING)):
                    found.append((upkeep.id, dict(row)))
    return found


_MISSING = object()


def same(one: Any, other: Any) -> bool:
    """Whether two stored values are the same; sums of floats differ in their last digits with the order of the rows."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    one, other = _number(one), _number(other)
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9) or (math.isnan(one) and math.isnan(other))
    if isinstance(one, Decimal) and isinstance(other, Decimal) and one.is_nan():
        return other.is_nan()
    return type(one) is type(other) and bool(one == other)


def _number(value: Any) -> Any:
    if isinstance(value, Decimal128):
        return value.to_decimal()
    if isinstance(value, bool | float | Decimal) or not isinstance(value, int):
        return value
    return int(value)
