"""Rows of the elements of an array: the documents that hold it, unwound."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.paths.access_path import Unwind
from nestling.ir.paths.row_steps import VARIABLE, Layout
from nestling.ir.statements.algebra import Unnest
from nestling.ir.statements.expression import Arithmetic, Column, Literal
from nestling.ir.statements.operators import ArithmeticOperator
from nestling.ir.types import INTEGER
from nestling.planner.reads.rows import Lowered, LoweringContext


def unwound(elements: Unnest, rows: Lowered, context: LoweringContext, *, keep_empty: bool = False) -> Lowered:
    """Return each row with each element of its array; `keep_empty`: also rows without elements, once, without an element."""
    element, *places = elements.columns
    rows = _at_hand(element, elements.array, rows, context)
    found = replace(rows, identity=())
    if not places:
        return replace(found, step=Unwind(rows.step, rows.layout.path(element), keep_empty))
    before = Column("", "places before", INTEGER)
    field = rows.fresh(places[0].name)
    step = Unwind(rows.step, rows.layout.path(element), keep_empty, field)
    layout = rows.layout | Layout((((before.alias, before.name), field),))
    place = Arithmetic(ArithmeticOperator.ADD, before, Literal(1, INTEGER), INTEGER)
    return replace(found, step=step, layout=layout, taken=rows.taken | {field}).computed({places[0]: place}, context)


def _at_hand(element: Column, array: Column, rows: Lowered, context: LoweringContext) -> Lowered:
    """Put the array where its elements will be. If nothing else uses it, it stays in place, so that an index is usable."""
    path = context.seen(rows.layout).path(array)
    if path.startswith(VARIABLE) or context.used[array.alias, array.name] > 1:
        return rows.computed({element: array}, context)
    return replace(rows, layout=rows.layout | Layout((((element.alias, element.name), path),)))
