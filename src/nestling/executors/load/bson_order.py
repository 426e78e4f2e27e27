"""MongoDB's order of values, which determines the order inside an array, whatever the source's collation.

`null`, numbers, text by its UTF-8 bytes, documents, arrays, binary (length, subtype, bytes), booleans, dates. The server's own
`$sort` agrees, so an array that a later write sorts again keeps its order.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from bson.binary import Binary
from bson.decimal128 import Decimal128

from nestling.ir.types import MOMENTS, Type, TypeName

_SORTED_ALIKE = (TypeName.INTEGER, TypeName.DATE, TypeName.DECIMAL, TypeName.FLOAT)


def sorted_alike(kind: Type) -> bool:
    """Whether every source orders values of the type as MongoDB does (text depends on a collation)."""
    return kind.name in _SORTED_ALIKE or (kind.name in MOMENTS and kind.fraction_digits <= 3)


def bson_order(value: object) -> tuple[Any, ...]:
    """A key that sorts BSON values as MongoDB does."""
    match value:
        case None:
            return (1,)
        case bool():
            return (8, value)
        case int() | float() | Decimal() | Decimal128():
            number: Any = value.to_decimal() if isinstance(value, Decimal128) else value
            return (2, 0, 0) if math.isnan(number) else (2, 1, number)
        case str():
            return (3, value)
        case dict():
            return (4, [(bson_order(item)[0], name, bson_order(item)) for name, item in value.items()])
        case list():
            return (5, [bson_order(item) for item in value])
        case UUID():
            return (6, 16, 4, value.bytes)
        case bytes():
            return (6, len(value), value.subtype if isinstance(value, Binary) else 0, bytes(value))
        case datetime():
            return (9, value.replace(tzinfo=UTC) if value.tzinfo is None else value)
        case _:
            return (10, str(value))
