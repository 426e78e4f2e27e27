"""Window functions: a step for each, over the rows as they are."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir import algebra as a
from nestling.ir.algebra import NamedWindow, WindowFunction
from nestling.ir.expression import Collation, Expression
from nestling.ir.row_steps import Layout, Windows
from nestling.planner.reads.rows import Context, Rows, gap
from nestling.planner.reads.subqueries import lifted_all
from nestling.planner.reads.traverse import mapped


def lower_window(relation: a.Window, context: Context) -> Rows:
    """The rows, each with its functions' values."""
    from nestling.planner.reads.lower import lower

    rows = lower(relation.input, context)
    wanted = [item for item in relation.functions if (relation.alias, item.name) in context.used]
    for item in wanted:
        if any(rule is not Collation.BINARY for rule in item.window.partition_collations):
            raise gap("a window's PARTITION BY texts under a collation")
        rows = _with_function(item, relation.alias, rows, context)
    return rows


def _with_function(item: NamedWindow, alias: str, rows: Rows, context: Context) -> Rows:
    window, rows = _lifted(item.window, rows, context)
    name = rows.fresh(item.name)
    step = Windows(rows.step, ((name, window),), context.seen(rows.layout))
    layout = rows.layout | Layout((((alias, item.name), name),))
    return replace(rows, step=step, layout=layout, taken=rows.taken | {name})


def _lifted(window: WindowFunction, rows: Rows, context: Context) -> tuple[WindowFunction, Rows]:
    current = rows

    def change(expression: Expression) -> Expression:
        nonlocal current
        (found,), current = lifted_all([expression], current, context)
        return found

    return mapped(window, change), current
