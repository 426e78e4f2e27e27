"""Window functions: one step for each, over the unchanged rows."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.paths.row_steps import Layout, Windows
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import NamedWindow
from nestling.ir.statements.operators import Collation
from nestling.planner.reads.gaps import read_gap
from nestling.planner.reads.rows import Lowered, LoweringContext
from nestling.planner.reads.subqueries import lifted_in


def lower_window(relation: a.Window, context: LoweringContext) -> Lowered:
    """The rows, each with its functions' values."""
    from nestling.planner.reads.lower import lower

    rows = lower(relation.input, context)
    wanted = [item for item in relation.functions if (relation.alias, item.name) in context.used]
    for item in wanted:
        if any(rule is not Collation.BINARY for rule in item.window.partition_collations):
            raise read_gap("a window's PARTITION BY texts under a collation")
        rows = _with_function(item, relation.alias, rows, context)
    return rows


def _with_function(item: NamedWindow, alias: str, rows: Lowered, context: LoweringContext) -> Lowered:
    window, rows = lifted_in(item.window, rows, context)
    name = rows.fresh(item.name)
    step = Windows(rows.step, ((name, window),), context.seen(rows.layout))
    layout = rows.layout | Layout((((alias, item.name), name),))
    return replace(rows, step=step, layout=layout, taken=rows.taken | {name})
