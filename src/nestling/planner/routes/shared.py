"""Copies that all holders of one row share: read once where they come from, and written to all who refer to it by one command."""

from __future__ import annotations

from nestling.common.errors import DesignError
from nestling.ir.design import Design
from nestling.ir.paths.access_path import FieldPath, PathExpression, ProjectDocuments
from nestling.ir.paths.write_path import Cell, Set
from nestling.ir.primitives import Copy, Form
from nestling.ir.programs.compiled import OutputColumn, ReadPlan
from nestling.ir.programs.route import Shared
from nestling.ir.statements.expression import ANY
from nestling.ir.storage.names import join
from nestling.ir.upkeep import Upkeep
from nestling.planner.reads.correlate import stored_path
from nestling.planner.reads.gaps import ReadGap
from nestling.planner.upkeep.copied_element import copied_element
from nestling.planner.upkeep.holder import holder_rows
from nestling.planner.upkeep.source import HOLDER, as_stored, column, homes_context
from nestling.planner.upkeep.target import target_of

ANCHOR = "anchor"


def shared(design: Design, upkeep: Upkeep) -> Shared | None:
    """The read of the rows by the one attribute that is their key, and the command for such a row; None for other copies.

    A row that no longer exists is one without values.
    """
    copy, model = upkeep.what, design.model
    if not isinstance(copy, Copy) or not copy.is_of_parent or copy.form is not Form.OBJECT:
        return None
    entity = model.entity(copy.path[0].target(model))
    keys, places = copy.path[0].far(model), design.places[entity.name]
    if len(keys) != 1 or keys != entity.key or len(places) != 1:
        return None
    target = target_of(design, upkeep.place, {copy.path[0].near(model)[0]: Cell(ANCHOR)}, many=True)
    if target is None or places[0].copy is not None or len(places[0].nodes) != 1:
        return None
    names = dict.fromkeys((*keys, *(field.attribute for field in copy.attributes)))
    columns = [column(model, entity.name, HOLDER, name) for name in names]
    context = homes_context(design, columns)
    path = stored_path(places[0], columns[0], context)
    try:
        rows = holder_rows(places[0], columns, context)
    except (DesignError, ReadGap):
        return None
    if path is None:
        return None
    value = copied_element(copy, lambda attribute: rows.layout.path(as_stored(HOLDER, attribute)))
    fields: tuple[tuple[str, PathExpression], ...] = (
        (ANCHOR, FieldPath(rows.layout.path(as_stored(HOLDER, keys[0])))),
        ("value", value),
    )
    plan = ReadPlan(ProjectDocuments(rows.step, fields), tuple(OutputColumn(name, name, ANY) for name, _ in fields))
    return Shared(plan, path, target.update(Set(join(target.path, copy.name), Cell("value"))))
