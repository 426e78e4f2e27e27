"""A copied attribute of the one row above changed: all who refer to that row get its new value."""

from __future__ import annotations

from nestling.ir.design import Design
from nestling.ir.paths.write_path import Cell, Set, SubDocument, WriteStep, WrittenValue
from nestling.ir.primitives import Copy, Field, Form
from nestling.ir.storage.names import join
from nestling.ir.upkeep import Upkeep
from nestling.planner.upkeep.change import ChangeKind, RowChange, new, old
from nestling.planner.upkeep.target import target_of


def copied_attribute(design: Design, upkeep: Upkeep, copy: Copy, change: RowChange) -> tuple[WriteStep, ...] | None:
    """`$set` in the documents whose foreign key is that row's key; None when the key itself may have changed.

    Of a sub-document only the fields that changed are set, where they are always there; else it is set as a whole.
    """
    model = design.model
    hop = copy.path[0]
    if not copy.is_of_parent or change.kind is not ChangeKind.UPDATE or change.attributes & set(hop.far(model)):
        return None
    links: dict[str, WrittenValue] = {
        here: Cell(old(there)) for here, there in zip(hop.near(model), hop.far(model), strict=True)
    }
    target = target_of(design, upkeep.place, links, many=True)
    if target is None:
        return None
    changed = [field for field in copy.attributes if field.attribute in change.attributes]
    inside = join(target.path, copy.name if copy.form is Form.OBJECT else "")
    if copy.form is Form.OBJECT and any(_may_be_null(design, copy, field) for field in changed):
        whole = SubDocument(tuple((field.path, Cell(new(field.attribute))) for field in copy.attributes))
        return (target.update(Set(inside, whole)),)
    return (target.update(*(Set(join(inside, field.path), Cell(new(field.attribute))) for field in changed)),)


def _may_be_null(design: Design, copy: Copy, field: Field) -> bool:
    """Whether the field may come and go: a sub-document then loses its order of fields, or stays there empty."""
    source = copy.path[-1].target(design.model)
    return design.model.entity(source).attribute(field.attribute).nullable
