"""ORDER BY."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nestling.ir.paths.row_steps import Slice, SortRows
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import SortKey
from nestling.ir.statements.expression import Literal
from nestling.planner.reads.order_of_id import is_order_of_id
from nestling.planner.reads.rewrites import Rewrite
from nestling.planner.reads.rows import Lowered, LoweringContext
from nestling.planner.reads.subqueries import lifted_all


def lower_sort(relation: a.Sort, context: LoweringContext) -> Lowered:
    """The rows in order; a constant orders nothing."""
    from nestling.planner.reads.lower import lower

    return sorted_by(relation.keys, lower(relation.input, context), context)


def sorted_by(wanted: Sequence[SortKey], rows: Lowered, context: LoweringContext) -> Lowered:
    """The rows in the order of these keys."""
    found, rows = lifted_all([key.expression for key in wanted], rows, context)
    keys = tuple(replace(key, expression=each) for key, each in zip(wanted, found, strict=True))
    keys = tuple(key for key in keys if not isinstance(key.expression, Literal))
    if not keys or _is_sorted(rows, keys):
        return rows
    prefix = _prefix(rows)
    by_id = context.may(Rewrite.IDENTITY) and is_order_of_id(rows, keys)
    step = SortRows(rows.step, keys, context.seen(rows.layout), prefix, by_id)
    return replace(rows, step=step, taken=rows.taken | {prefix})


def _is_sorted(rows: Lowered, keys: tuple[SortKey, ...]) -> bool:
    """Whether the rows come straight out of a sort by the same keys: `late_parents` sorts again, but a copy adds no step."""
    step = rows.step.source if isinstance(rows.step, Slice) else rows.step
    return isinstance(step, SortRows) and step.keys == keys


def _prefix(rows: Lowered) -> str:
    """A prefix for fields of computed keys that no other field has."""
    prefix = "sort"
    while any(name.startswith(prefix) for name in rows.taken):
        prefix += "_"
    return prefix
