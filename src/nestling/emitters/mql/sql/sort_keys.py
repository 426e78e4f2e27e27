"""Sort keys as fields the server sorts by as SQL does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.comparison import collated, is_wide, may_be_text, wide
from nestling.emitters.mql.sql.constants import MqlValue
from nestling.emitters.mql.sql.gaps import require_order
from nestling.emitters.mql.sql.nulls import absent
from nestling.ir.statements.algebra import SortKey

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nestling.emitters.mql.sql.renderer import Renderer


@dataclass(frozen=True, slots=True)
class SortPart:
    """A field, its value, and the direction (1 or -1) in which to sort it."""

    field: str
    value: MqlValue
    direction: int


def sort_parts(keys: Sequence[SortKey], prefix: str, r: Renderer) -> list[SortPart]:
    """The fields `prefix0`, …; two for a key whose NULLs belong where the server, to which they are least, would not put them."""
    parts: list[SortPart] = []
    for place, key in enumerate(keys):
        name = f"{prefix}{place}"
        if r.nullable(key.expression) and key.nulls_first == key.descending:
            first = int(key.nulls_first)
            flag: MqlValue = {"$cond": [absent(r.value(key.expression)), 1 - first, first]}
            parts.append(SortPart(f"{name}n", flag, 1))
        parts.append(SortPart(name, sort_value(key, r), -1 if key.descending else 1))
    return parts


def sort_value(key: SortKey, r: Renderer) -> MqlValue:
    """A value the server sorts as SQL does; null and missing are the same."""
    expression = key.expression
    require_order(expression)
    if is_wide(expression):
        value = wide(expression, r, expression.type)
    else:
        value = collated(expression, key.collation, r) if may_be_text(expression) else r.value(expression)
    return {"$ifNull": [value, None]} if r.nullable(expression) else value
