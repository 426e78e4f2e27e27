"""Branches that no server is asked for: an archive, when rows are wanted that are later than all it has."""

from __future__ import annotations

from nestling.ir.distribution import as_kind
from nestling.ir.paths.access_path import ProjectDocuments, Step, Unwind
from nestling.ir.paths.row_steps import Add, Compute, Shape, Where
from nestling.ir.statements.expression import Compare, Expression
from nestling.ir.statements.operands import bare, conjuncts
from nestling.ir.statements.operators import Comparison
from nestling.planner.known.ranges import SampleValues, value_of
from nestling.planner.reads.rewrites.archived import bounded_below


def is_left_out(step: Step, values: SampleValues) -> bool:
    """Whether a branch asks an archive for rows that are later than all it has."""
    while not isinstance(step, Where):
        if not isinstance(step, Unwind | Shape | ProjectDocuments | Add | Compute):
            return False
        step = step.source
    asked = conjuncts(step.predicate)
    return any(_is_later(each, other, values) for each in asked for other in asked)


def _is_later(lower: Expression, upper: Expression, values: SampleValues) -> bool:
    column = bounded_below(lower)
    if column is None or not isinstance(lower, Compare) or not isinstance(upper, Compare):
        return False
    if upper.operator is not Comparison.LESS or upper.left != column:
        return False
    low = value_of(lower.right if bare(lower.left) == column else lower.left, values)
    most = value_of(upper.right, values)
    least = as_kind(low, most)
    return least is not None and bool(least >= most)
