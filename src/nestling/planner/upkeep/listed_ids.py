"""Ids of children in their parent: a child that comes is pushed, one that goes is pulled."""

from __future__ import annotations

from collections.abc import Callable

from nestling.ir.design import Design
from nestling.ir.model import Cardinality
from nestling.ir.paths.write_path import Cell, Constant, FieldMatch, Pull, Push, SubDocument, WriteStep, WrittenValue
from nestling.ir.primitives import Reference
from nestling.ir.storage.names import join, stored_name
from nestling.ir.types import ELEMENTWISE
from nestling.ir.upkeep import Upkeep
from nestling.planner.upkeep.change import ChangeKind, RowChange, new, old
from nestling.planner.upkeep.copied_element import id_parts
from nestling.planner.upkeep.target import target_of


def listed_ids(design: Design, upkeep: Upkeep, reference: Reference, change: RowChange) -> tuple[WriteStep, ...] | None:
    """`$push` in the order of the children's keys, `$pull` by the id; a child that moves is pulled there and pushed here."""
    link = design.model.relationship(reference.relationship)
    child = design.model.entity(link.child)
    moves = {*child.key, *link.child_attributes, *(field.attribute for field in reference.copied)}
    if design.only_listed(link):
        return None  # the ids are a home, which has changed already
    if link.cardinality is Cardinality.ONE_TO_ONE or (
        change.kind is ChangeKind.UPDATE and not change.attributes & moves
    ):
        return None
    if any(child.attribute(name).type.name in ELEMENTWISE for name in child.key):
        return None
    links = tuple(zip(link.parent_attributes, link.child_attributes, strict=True))
    before = target_of(design, upkeep.place, {here: Cell(old(there)) for here, there in links}, many=False)
    after = target_of(design, upkeep.place, {here: Cell(new(there)) for here, there in links}, many=False)
    if before is None or after is None:
        return None
    field = join(before.path, reference.field)
    steps: list[WriteStep] = []
    if change.has_old:
        gone = FieldMatch("id" if reference.copied else "", _id(design, reference, old))
        steps.append(before.update(Pull(field, (gone,))))
    if change.has_new:
        steps.append(after.update(Push(field, _element(design, reference, new), ids_order(design, reference))))
    return tuple(steps)


def _id(design: Design, reference: Reference, prefix: Callable[[str], str]) -> WrittenValue:
    parts = id_parts(design, reference)
    values = tuple((path, Cell(prefix(name)) if name else Constant(constant)) for path, name, constant in parts)
    return values[0][1] if values[0][0] == "" else SubDocument(values)


def _element(design: Design, reference: Reference, prefix: Callable[[str], str]) -> WrittenValue:
    identity = _id(design, reference, prefix)
    if not reference.copied:
        return identity
    copied = ((field.path, Cell(prefix(field.attribute))) for field in reference.copied)
    return SubDocument((("id", identity), *copied))


def ids_order(design: Design, reference: Reference) -> tuple[tuple[str, int], ...]:
    """By the child's key, whatever the order of its parts in the id."""
    key = design.model.entity(design.model.relationship(reference.relationship).child).key
    at = "id" if reference.copied else ""
    if id_parts(design, reference)[0][0] == "":
        return ((at, 1),)
    return tuple((join(at, stored_name(name)), 1) for name in key)
