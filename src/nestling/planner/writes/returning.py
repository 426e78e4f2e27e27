"""What a write returns: it counts its rows, and RETURNING takes its columns from them.

Columns are taken from the rows as they are. Expressions over them are computed by the server at the end, row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nestling.ir.model import Entity
from nestling.ir.paths.write_path import Each
from nestling.ir.statements.algebra import Named, Project
from nestling.ir.statements.expression import Column, Expression
from nestling.ir.statements.operands import has_subquery
from nestling.planner.reads.traverse import rewritten
from nestling.planner.writes.draft.cells import Cells
from nestling.planner.writes.draft.fetch import fetch, plan, same_row
from nestling.planner.writes.draft.gaps import write_gap
from nestling.planner.writes.draft.phases import WritePhase
from nestling.planner.writes.draft.write_draft import WriteDraft


def count_and_return(work: WriteDraft, entity: Entity, prefix: str, rows: str) -> None:
    """Count the rows as the statement's own, and have it answer with the values in their `prefix` columns."""
    work.counted.append(rows)
    if work.returning is None:
        return
    cells, outputs = Cells(entity, prefix), work.returning.outputs
    held = [item.expression.name for item in outputs if isinstance(item.expression, Column)]
    if len(held) == len(outputs):
        work.answered.append(rows)
        work.cells = tuple(map(cells.column, held))
    else:
        work.answered.append(_computed(work, cells, outputs, rows))
        work.cells = tuple(item.name for item in work.returning.outputs)


def _computed(work: WriteDraft, cells: Cells, outputs: Sequence[Named], rows: str) -> str:
    """Ask for what is computed of each row; gives the name of the rows that come of it."""
    if any(has_subquery(item.expression) for item in outputs):
        raise write_gap("RETURNING with a subquery")
    types = cells.types()

    def own(inner: Expression) -> Expression | None:
        return Column("row", cells.column(inner.name), inner.type) if isinstance(inner, Column) else None

    shown = [replace(item, expression=rewritten(item.expression, own)) for item in outputs]
    asked = plan(work.design, Project(same_row(types), "answered", tuple(shown)))
    answered = work.name(f"answered of {rows}")
    work.add(WritePhase.ANSWER, [Each(rows, (fetch(answered, asked, tuple(types)),))])
    return answered
