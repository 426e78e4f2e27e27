"""Removes rows from their homes, in every kind of place.

All of these are steps for one current row; `OLD` columns identify its place.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design import Design
from nestling.ir.model import Entity
from nestling.ir.paths.write_path import (
    OLD,
    Cell,
    Constant,
    DeleteDocuments,
    DocumentChange,
    ElementFilter,
    FieldMatch,
    Pull,
    Set,
    UpdateDocuments,
    WriteStep,
)
from nestling.ir.primitives import Form
from nestling.ir.storage.layout import Node, NodeKind, Place
from nestling.planner.writes.draft.cells import GIVEN_NULL, ID, Cells, carried_paths
from nestling.planner.writes.places import discriminators as presence
from nestling.planner.writes.places.address import DocumentAddress, element_matches, known_values, row_address
from nestling.planner.writes.places.placing import is_event, refuse_kinds
from nestling.planner.writes.places.splits import remove_parts
from nestling.planner.writes.row_changes import buckets, overflow


def removed(design: Design, place: Place, entity: Entity) -> Iterator[WriteStep]:
    """Take the row out of its home."""
    refuse_kinds(place.store, "UPDATE or DELETE")
    row, node = Cells(entity, OLD), place.node
    if node.kind is NodeKind.ROOT:
        yield DeleteDocuments(place.store.name, (FieldMatch("_id", Cell(ID)),))
        yield from remove_parts(design, place)
        return
    if is_event(place):
        yield from buckets.removed(design, place, row)
        return
    if node.embedding is not None and node.embedding.overflow is not None:
        yield from overflow.removed(design, place, row)
        return
    address = row_address(place, row)
    changes = tuple(_removal(place, address, row))
    if node.form is Form.INLINE:
        yield from presence.without_subtype(place, node, changes)
    else:
        yield UpdateDocuments(place.store.name, address.where, changes, outer_filters(address, place))


def _removal(place: Place, address: DocumentAddress, row: Cells) -> Iterator[DocumentChange]:
    node = place.node
    if node.form is Form.INLINE:
        for path in inline_paths(node):
            yield Set(path, GIVEN_NULL)
    elif node.form is Form.OBJECT:
        yield Set(address.path, GIVEN_NULL)
    elif node.embedding is not None and node.embedding.slots is not None:
        slots = node.embedding.slots
        yield Set(_array_path(address), Constant(None), place=row.column(slots.attribute), first=slots.first)
    else:
        known = known_values(place, len(place.nodes) - 1, row.of(row.entity.identity))
        yield Pull(_array_path(address), element_matches(node, known[-1], row))


def _array_path(address: DocumentAddress) -> str:
    return address.path.rsplit(".", 1)[0]


def outer_filters(address: DocumentAddress, place: Place) -> tuple[ElementFilter, ...]:
    """The filters of the arrays around the row's own place."""
    return tuple(
        item for item in address.filters if item.name != f"e{len(place.nodes) - 1}" or place.node.form is Form.OBJECT
    )


def inline_paths(node: Node) -> tuple[str, ...]:
    """All fields of a row that stand beside its parent's own."""
    own = [field.path for field in node.stored] + [pairs.field for pairs in node.body.pairs]
    return (*own, *carried_paths(node))
