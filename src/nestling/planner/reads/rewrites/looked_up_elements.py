"""EXISTS and values of rows that belong to each of many: looked up as one array, in the server's faster engine.

What is asked of the array, or made of it, is then as with children inside their parent's document.
"""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.paths.access_path import Step
from nestling.ir.paths.row_steps import AggregateElements, Correlate, Keep, Layout
from nestling.ir.statements.algebra import Relation
from nestling.ir.statements.expression import IsNull, Not
from nestling.ir.statements.operands import nullable
from nestling.ir.storage.names import is_within
from nestling.planner.known.faster_lookups import LEAST_FASTER_ROWS
from nestling.planner.reads.correlate import correlated
from nestling.planner.reads.rewrites import Rewrite
from nestling.planner.reads.rewrites.conjuncts import restricted
from nestling.planner.reads.rewrites.embedded_exists import Elements
from nestling.planner.reads.rewrites.links import scan_of
from nestling.planner.reads.rewrites.pushdown import push_predicates
from nestling.planner.reads.rewrites.side_by_side import array_lookup, as_array, begins, has_few_nulls
from nestling.planner.reads.rows import Lowered, LoweringContext


def looked_up_elements(rows: Lowered, relation: Relation, context: LoweringContext) -> Elements | None:
    """The array of the rows of a relation that belong to each row; None where it does not pay or more than a table is asked."""
    from nestling.planner.work.estimate import expected_rows

    scan, asked = scan_of(push_predicates(relation) if context.may(Rewrite.PUSHDOWN) else relation)
    start = rows.step
    while isinstance(start, AggregateElements):
        start = start.source
    if scan is None or context.is_inside or not context.may(Rewrite.SIDE_BY_SIDE) or not begins(start):
        return None
    lookup = array_lookup(scan, asked, rows.step, context)
    if lookup is None:
        return None
    rest = lookup.rest
    if nullable(lookup.own) and nullable(lookup.other):  # the server finds NULLs for a NULL
        if not has_few_nulls(scan, lookup.own, context):
            return None
        rest = [*rest, Not(IsNull(lookup.own))]
    if expected_rows(rows.step, context.design, context.statistics) < LEAST_FASTER_ROWS:
        return None
    seen = correlated(rows, restricted(scan, [lookup.condition]), Keep.TOGETHER, context, scan.alias)
    made = as_array(seen.step, lookup.own)
    there = _looked_up_before(start, made) if made is not None else None
    if made is None or (there is None and start is not rows.step):
        return None
    if there is None:
        return Elements(made.field, replace(seen, step=made), rest)
    paths = {
        key: there + path.removeprefix(made.field) if is_within(path, made.field) else path
        for key, path in seen.layout.entries
    }
    return Elements(there, replace(rows, layout=Layout.of(paths)), rest)


def _looked_up_before(step: Step, made: Correlate) -> str | None:
    """The field of the same lookup, if it was made for another value."""
    same = isinstance(step, Correlate) and replace(made, source=step.source, field=step.field) == step
    return step.field if isinstance(step, Correlate) and same else None
