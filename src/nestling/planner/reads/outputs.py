"""The outputs of a read: documents with one field for each column, in order, named as SQL names it.

A name that exists already gets a number (`id`, `id_2`), since a document has no field twice; an empty one is `_`, as no
path could name it. NULLs are null.
"""

from __future__ import annotations

from collections.abc import Sequence

from nestling.ir.free_names import free_name
from nestling.ir.paths.row_steps import Compute, Shape
from nestling.ir.programs.compiled import OutputColumn, ReadPlan
from nestling.ir.statements.algebra import Relation
from nestling.ir.statements.expression import Column
from nestling.planner.reads.rows import Lowered, LoweringContext


def final_shape(relation: Relation, names: Sequence[str], rows: Lowered, context: LoweringContext) -> ReadPlan:
    """The plan whose last step makes the result's documents."""
    fields = field_names(names)
    columns = relation.columns
    step = _shape(rows, tuple(zip(fields, columns, strict=True)), context)
    outputs = tuple(
        OutputColumn(name, field, column.type, column.mixed)
        for name, field, column in zip(names, fields, columns, strict=True)
    )
    return ReadPlan(step, outputs)


def _shape(rows: Lowered, fields: tuple[tuple[str, Column], ...], context: LoweringContext) -> Shape:
    """Values that were computed last, and only for the result, are computed in the final step."""
    layout = context.seen(rows.layout)
    if not isinstance(rows.step, Compute):
        return Shape(rows.step, fields, layout, shown=True)
    values = dict(rows.step.fields)
    inner = tuple((name, values.get(layout.path(column), column)) for name, column in fields)
    return Shape(rows.step.source, inner, layout | rows.step.layout, shown=True)


def field_names(names: Sequence[str]) -> tuple[str, ...]:
    """A field for each name, no two the same."""
    found: list[str] = []
    for name in names:
        wish = name.replace("\0", "\u2400") or "_"
        found.append(wish if wish not in found else free_name(wish, {*found, *names}))
    return tuple(found)
