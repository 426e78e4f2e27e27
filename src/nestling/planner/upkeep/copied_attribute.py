"""A copied attribute of the one row above changed: all who refer to that row get its new value."""

from __future__ import annotations

from nestling.ir.design import Design
from nestling.ir.names import join
from nestling.ir.primitives import Copy, Form
from nestling.ir.upkeep import Upkeep
from nestling.ir.write_path import Cell, Document, Set, Value, WriteStep
from nestling.planner.upkeep.change import ChangeKind, RowChange, new, old
from nestling.planner.upkeep.target import target_of
from nestling.planner.upkeep.triggers import far, near


def copied_attribute(design: Design, upkeep: Upkeep, copy: Copy, change: RowChange) -> tuple[WriteStep, ...] | None:
    """`$set` in the documents whose foreign key is that row's key; None when the key itself may have changed."""
    model = design.model
    if copy.closure or len(copy.path) != 1 or not copy.path[0].up or change.kind is not ChangeKind.UPDATE:
        return None
    hop = copy.path[0]
    if change.attributes & set(far(model, hop)) or copy.form not in (Form.OBJECT, Form.INLINE):
        return None
    links: dict[str, Value] = {
        here: Cell(old(there)) for here, there in zip(near(model, hop), far(model, hop), strict=True)
    }
    target = target_of(design, upkeep.place, links, many=True)
    if target is None:
        return None
    if copy.form is Form.OBJECT:
        whole = Document(tuple((field.path, Cell(new(field.attribute))) for field in copy.attributes))
        return (target.changed(Set(join(target.path, copy.name), whole)),)
    changed = [field for field in copy.attributes if field.attribute in change.attributes]
    return (target.changed(*(Set(join(target.path, field.path), Cell(new(field.attribute))) for field in changed)),)
