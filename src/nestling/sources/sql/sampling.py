"""A bounded, repeatable part of a large table: the same rows each time, spread over all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from nestling.ir.types import TypeName
from nestling.sources.sql.engines import engine_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nestling.ir.model import Entity

WINDOWS = 32
"""Stretches of the key a sample is taken from: many enough that one odd stretch does not colour it, few enough to seek to."""


def sample(
    table: Any,
    entity: Entity,
    dialect: str,
    *,
    rowid: bool,
    share: float,
    rows: int,
    fetch: Callable[[Any], Sequence[Any]],
) -> Any:
    """A sample to select from in place of the table: about `share` (0..1) of it, or its first `rows` without a number."""
    return engine_of(dialect).sample(table, entity, rowid=rowid, share=share, rows=rows, fetch=fetch)


def windows(table: Any, number: Any, *, share: float, rows: int, fetch: Callable[[Any], Sequence[Any]]) -> Any:
    """Stretches of a table by a number its rows have."""
    if number is None:
        return sa.select(*table.c).select_from(table).limit(rows).subquery("sampled")
    least, most = fetch(sa.select(sa.func.min(number), sa.func.max(number)).select_from(table))
    stretch = max(1, (most - least + 1) // WINDOWS)
    taken = max(1, int(stretch * share))
    starts = [least + stretch * position for position in range(WINDOWS)]
    within = sa.or_(*(number.between(start, start + taken - 1) for start in starts))
    return sa.select(*table.c).select_from(table).where(within).subquery("sampled")


def integer_key(table: Any, entity: Entity) -> Any:
    """The first column of the key if that is a number, or else None."""
    if not entity.key or entity.attribute(entity.key[0]).type.name is not TypeName.INTEGER:
        return None
    return table.c[entity.key[0]]
