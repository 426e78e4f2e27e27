"""How many rows of a write differ in some columns, as far as the statement says: what it gives is alike in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from nestling.ir.paths.row_steps import Compute, Shape
from nestling.ir.paths.write_path import Fetch, Give
from nestling.ir.statements.expression import Expression
from nestling.ir.statements.operands import columns_of


def different(step: Fetch | Give, columns: Sequence[str]) -> float:
    """The most rows there are that differ in these columns."""
    match step:
        case Give(values=rows):
            given = [dict(row) for row in rows]
            return float(len({tuple(row.get(column) for column in columns) for row in given}))
        case Fetch(plan=plan):
            shape = plan.step
            if not isinstance(shape, Shape):
                return inf
            fields = dict(shape.fields)
            return 1.0 if all(_is_given(shape, fields[column]) for column in columns) else inf


def _is_given(step: Shape | Compute, expression: Expression) -> bool:
    """Whether nothing of the rows is in it."""
    return all(_is_computed(step, step.layout.path(column)) for column in columns_of(expression))


def _is_computed(step: Shape | Compute, path: str) -> bool:
    """Whether a step before has put there what is given."""
    below: object = step.source
    while below is not None:
        if isinstance(below, Compute) and path in (fields := dict(below.fields)):
            return _is_given(below, fields[path])
        below = getattr(below, "source", None)
    return False
