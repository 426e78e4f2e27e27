"""Attributes split off: their document goes with the row's own, and is there only while one of them is not NULL."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design import Design
from nestling.ir.paths.write_path import (
    Cell,
    Constant,
    DeleteDocuments,
    FieldMatch,
    Set,
    UpdateDocuments,
    WriteStep,
    WrittenValue,
)
from nestling.ir.storage.layout import Node, Place, Role, StoredCollection
from nestling.planner.writes.draft.cells import ID, Cells
from nestling.planner.writes.draft.gaps import write_gap
from nestling.planner.writes.places.new_document import id_value


def insert_parts(design: Design, store: StoredCollection, root: Node, row: Cells) -> Iterator[WriteStep]:
    """The parts of a new row."""
    for part in _parts(design, store, root):
        identity = id_value(design, store, root, row)
        if identity is None:
            raise write_gap(f"INSERT of `{root.entity}`, whose `_id` is generated, with attributes in `{part.name}`")
        yield from _stored(part, identity, row, frozenset(row.entity.attribute_names))


def part_changes(design: Design, place: Place, after: Cells, attributes: frozenset[str]) -> Iterator[WriteStep]:
    """The parts of a row that stays where it is."""
    for part in _parts(design, place.store, place.node):
        assert part.split is not None
        if set(part.split.attributes) & attributes:
            yield from _stored(part, Cell(ID), after, attributes)


def remove_parts(design: Design, place: Place) -> Iterator[WriteStep]:
    """The parts of a row that goes."""
    for part in _parts(design, place.store, place.node):
        yield DeleteDocuments(part.name, (FieldMatch("_id", Cell(ID)),))


def _parts(design: Design, store: StoredCollection, root: Node) -> Iterator[StoredCollection]:
    if store.role not in (Role.HOME, Role.ARCHIVE) or root.body != store.collection.body:
        return
    for split in store.collection.splits:
        if split.gridfs:
            raise write_gap(f"writes to `{root.entity}`, part of which is stored in files (GridFS)")
        if split.attributes:
            yield design.store(split.collection)


def _stored(
    part: StoredCollection, identity: WrittenValue, row: Cells, attributes: frozenset[str]
) -> Iterator[WriteStep]:
    assert part.split is not None
    fields = [field for field in part.roots[0].stored if field.attribute in part.split.attributes]
    changes = tuple(Set(field.path, row[field.attribute]) for field in fields if field.attribute in attributes)
    where = (FieldMatch("_id", identity),)
    yield UpdateDocuments(part.name, where, changes, on_insert=())
    yield DeleteDocuments(part.name, (*where, *(FieldMatch(field.path, Constant(None)) for field in fields)))
