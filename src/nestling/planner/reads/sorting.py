"""ORDER BY."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir import algebra as a
from nestling.ir.expression import Literal
from nestling.ir.row_steps import SortRows
from nestling.planner.reads.rows import Context, Rows
from nestling.planner.reads.subqueries import lifted_all


def lower_sort(relation: a.Sort, context: Context) -> Rows:
    """The rows in order; a constant orders nothing."""
    from nestling.planner.reads.lower import lower

    rows = lower(relation.input, context)
    found, rows = lifted_all([key.expression for key in relation.keys], rows, context)
    keys = tuple(replace(key, expression=each) for key, each in zip(relation.keys, found, strict=True))
    keys = tuple(key for key in keys if not isinstance(key.expression, Literal))
    if not keys:
        return rows
    prefix = _prefix(rows)
    step = SortRows(rows.step, keys, context.seen(rows.layout), prefix)
    return replace(rows, step=step, taken=rows.taken | {prefix})


def _prefix(rows: Rows) -> str:
    """What the fields of computed keys start with, and no other field does."""
    prefix = "sort"
    while any(name.startswith(prefix) for name in rows.taken):
        prefix += "_"
    return prefix
