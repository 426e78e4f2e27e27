"""The parents of many rows are looked up one after the other, and taken out of their fields only when all are there.

The server runs lookups at the start of a pipeline in its faster engine (6.0 and later), three times as fast, as long as nothing
stands between them: neither an `$unwind` nor a pipeline of the lookup's own. Each finds one row at most, so nothing grows. It
takes longer to begin, which a few rows do not make up for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nestling.ir.paths.access_path import CollectionScan, Step
from nestling.ir.paths.row_steps import Correlate, GroupRows, Slice, SortRows, Where
from nestling.ir.statements import algebra as a
from nestling.ir.statements.expression import Expression
from nestling.planner.reads.correlate import equal_columns
from nestling.planner.reads.rewrites.links import fixed_column, scan_of
from nestling.planner.reads.rewrites.rows_left import rows_left
from nestling.planner.reads.rows import Lowered, LoweringContext

MANY = 5
"""Rows from which on it is faster (3 to 5 on MongoDB 6.0.5: 0.1 ms to begin, 0.03 ms saved for each lookup)."""


def are_many(relation: a.Relation, rows: Lowered, context: LoweringContext) -> bool:
    """Whether the rows are many, as far as is known, and those a collection begins with, or what is grouped of them."""
    if context.is_inside or not _begins(rows.step):
        return False
    while isinstance(relation, a.Join):
        relation = relation.left
    left = rows_left(relation, context.design.model, context.statistics)
    if left is not None:
        return left.rows >= MANY
    scan, predicates = scan_of(relation)
    if scan is None:
        return True
    fixed = {column.name for each in predicates if (column := fixed_column(each, scan.alias)) is not None}
    return not context.design.model.entity(scan.entity).is_superkey(fixed)


def _begins(step: Step) -> bool:
    """Whether it is a collection's documents; not where they are in order for a limit to come, which is to end the lookups."""
    limited = False
    while isinstance(step, Where | SortRows | Slice | GroupRows) or (isinstance(step, Correlate) and step.beside):
        if isinstance(step, SortRows) and not limited:
            return False
        limited = limited or isinstance(step, Slice)
        step = step.source
    return isinstance(step, CollectionScan)


def key_equality(scan: a.Scan, conditions: Sequence[Expression], context: LoweringContext) -> Expression | None:
    """The condition that says what the table's key is, if that is one column."""
    key = context.design.model.entity(scan.entity).key
    pairs = ((each, equal_columns(each, scan.alias)) for each in conditions)
    return next((each for each, pair in pairs if pair is not None and (pair[0].name,) == tuple(key)), None)


def beside(rows: Lowered) -> Lowered | None:
    """Rows that have just looked one up by its `_id`, as one beside others; None where more was asked."""
    step = rows.step
    if not isinstance(step, Correlate) or step.equal is None or step.equal[1] != "_id" or step.variables:
        return None
    return replace(rows, step=replace(step, beside=True)) if isinstance(step.foreign, CollectionScan) else None
