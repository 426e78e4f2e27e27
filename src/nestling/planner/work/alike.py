"""How many rows of a write differ in some columns, according to the statement: values that it gives or compares with are the same
in all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from nestling.ir.paths.access_path import Unwind
from nestling.ir.paths.row_steps import Compute, Shape, Where
from nestling.ir.paths.write_path import Fetch, Give
from nestling.ir.statements.expression import Column, Compare, Expression
from nestling.ir.statements.operands import columns_of, conjuncts
from nestling.ir.statements.operators import Comparison
from nestling.ir.storage.names import overlap


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
    """Whether a step before has put there what is given, or has left only the rows that have it."""
    below: object = step.source
    while below is not None:
        match below:
            case Compute() if path in (fields := dict(below.fields)):
                return _is_given(below, fields[path])
            case Where() if _is_asked_for(below, path):
                return True
            case Unwind() if overlap(below.path, path):
                return False  # what is asked before is asked of any element
            case _:
                below = getattr(below, "source", None)
    return False


def _is_asked_for(step: Where, path: str) -> bool:
    """Whether the rows are those where the field is equal to what is given."""
    for part in conjuncts(step.predicate):
        match part:
            case Compare(operator=Comparison.EQUAL, left=Column() as column, right=other):
                if step.layout.path(column) == path and not any(True for _ in columns_of(other)):
                    return True
            case _:
                pass
    return False
