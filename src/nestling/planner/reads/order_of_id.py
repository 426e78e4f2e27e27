"""Whether documents sorted by parts of their compound `_id` are in the order of `_id` itself, which its index has them in.

Two `_id`s compare part by part. Where the first parts have one value in all documents, the next parts decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nestling.ir.paths.access_path import CollectionScan
from nestling.ir.paths.row_steps import Layout, Where
from nestling.ir.statements.algebra import SortKey
from nestling.ir.statements.expression import Column, Compare, Expression
from nestling.ir.statements.operands import columns_of, conjuncts
from nestling.ir.statements.operators import Collation, Comparison
from nestling.ir.types import COMPARED_BY_PARTS
from nestling.planner.reads.correlate import bare
from nestling.planner.reads.rows import Lowered


def is_order_of_id(rows: Lowered, keys: Sequence[SortKey]) -> bool:
    """Whether the sort keys are the parts of `_id` after those with a fixed value, all ascending or all descending."""
    identity, fixed = rows.identity, set[str]()
    step = rows.step
    while isinstance(step, Where):
        identity = identity or step.identity
        fixed |= set(_fixed(step.predicate, step.layout))
        step = step.source
    if not isinstance(step, CollectionScan) or len({key.descending for key in keys}) != 1:
        return False
    paths = [_path(key.expression, rows.layout) if key.collation is Collation.BINARY else None for key in keys]
    asked = [path for path in paths if path not in fixed]
    before = next((n for n, path in enumerate(identity) if path not in fixed), len(identity))
    return bool(asked) and asked == list(identity[before : before + len(asked)])


def _fixed(predicate: Expression, layout: Layout) -> Iterator[str]:
    """The paths that must have one given value."""
    for each in conjuncts(predicate):
        if isinstance(each, Compare) and each.operator is Comparison.EQUAL and each.collation is Collation.BINARY:
            for one, other in ((each.left, each.right), (each.right, each.left)):
                path = _path(one, layout)
                if path is not None and not any(columns_of(other)):
                    yield path


def _path(expression: Expression, layout: Layout) -> str | None:
    """The path of a column whose stored values the server orders as SQL does, and that is never NULL."""
    column = bare(expression)
    if column is None or not _is_plain(column) or column not in layout:
        return None
    return layout.path(column)


def _is_plain(column: Column) -> bool:
    return not column.nullable and not column.mixed and column.type.name not in COMPARED_BY_PARTS
