"""Holders by their anchors: the documents at an upkeep's place whose rows are linked by one of some values."""

from __future__ import annotations

from nestling.ir.design import Design
from nestling.ir.drift import ID_COLUMN
from nestling.ir.paths.access_path import FieldPath, ProjectDocuments
from nestling.ir.programs.compiled import OutputColumn, ReadPlan
from nestling.ir.programs.route import IdSearch
from nestling.ir.statements.expression import ANY, Compare, Expression, InList, Parameter
from nestling.ir.statements.operands import conjunction, disjunction
from nestling.ir.statements.operators import Comparison
from nestling.ir.upkeep import Upkeep
from nestling.planner.reads.correlate import stored_path
from nestling.planner.upkeep.holder import holder_rows
from nestling.planner.upkeep.source import HOLDER, as_stored, column, homes_context
from nestling.planner.upkeep.triggers import path_of


def anchor_path(design: Design, upkeep: Upkeep) -> str | None:
    """The plain field of the holders' documents that holds the anchor; None where it is several, or no plain field."""
    names = path_of(design.model, upkeep.what)[0].near(design.model)
    if len(names) != 1:
        return None
    anchor = column(design.model, upkeep.holder, HOLDER, names[0])
    return stored_path(upkeep.place, anchor, homes_context(design, [anchor]))


def search(design: Design, upkeep: Upkeep, width: int) -> IdSearch:
    """The search for the `_id`s of the holders of `width` anchors at once; raises `ReadGap` for what no steps are known for."""
    names = path_of(design.model, upkeep.what)[0].near(design.model)
    columns = [column(design.model, upkeep.holder, HOLDER, name) for name in names]
    context = homes_context(design, columns)
    parameters = tuple(tuple(f"anchor {row} {number}" for number in range(len(names))) for row in range(width))
    rows = holder_rows(upkeep.place, columns, context).where(_asked(names, parameters), context)
    step = ProjectDocuments(rows.step, ((ID_COLUMN, FieldPath("_id")),))
    return IdSearch(upkeep.id, ReadPlan(step, (OutputColumn(ID_COLUMN, ID_COLUMN, ANY),)), parameters)


def _asked(names: tuple[str, ...], parameters: tuple[tuple[str, ...], ...]) -> Expression:
    if len(names) == 1:
        return InList(as_stored(HOLDER, names[0]), tuple(Parameter(name, ANY) for (name,) in parameters))
    return disjunction(*(_equal(names, row) for row in parameters))


def _equal(names: tuple[str, ...], row: tuple[str, ...]) -> Expression:
    pairs = zip(names, row, strict=True)
    found = conjunction(*(Compare(Comparison.EQUAL, as_stored(HOLDER, a), Parameter(name, ANY)) for a, name in pairs))
    assert found is not None
    return found
