"""Adds rows to their homes; their `NEW` columns tell where each one belongs.

That is its collection, the document of the row above, a bucket, an archive, or the orphans.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nestling.ir.design import Design
from nestling.ir.model import Entity
from nestling.ir.paths.write_path import (
    DocumentChange,
    InsertOne,
    Push,
    Refuse,
    Set,
    UpdateDocuments,
    Violation,
    WriteStep,
)
from nestling.ir.primitives import Form
from nestling.ir.storage.array_order import array_order
from nestling.ir.storage.layout import Node, NodeKind, Place, Role, StoredCollection
from nestling.planner.homes.attribute import is_collection_root
from nestling.planner.writes.constraints import refuse_same
from nestling.planner.writes.draft.cells import Cells
from nestling.planner.writes.places import discriminators as presence
from nestling.planner.writes.places.address import (
    DocumentAddress,
    array_address,
    is_found_by_values,
    known_values,
    parent_address,
)
from nestling.planner.writes.places.archive import archived, not_archived
from nestling.planner.writes.places.conditional_steps import with_parent, without_parent
from nestling.planner.writes.places.new_document import body_fields, element, root_document
from nestling.planner.writes.places.placing import is_event, is_inside_of, is_paged
from nestling.planner.writes.places.splits import insert_parts
from nestling.planner.writes.row_changes import buckets, overflow, slots
from nestling.planner.writes.row_changes.guarded_push import Guard


def added(design: Design, entity: Entity, row: Cells, rows: str, guard: Guard | None = None) -> Iterator[WriteStep]:
    """Put the row where it belongs: into its collection, its parent's document, a bucket, or among the orphans."""
    places = [place for place in design.places[entity.name] if place.copy is None]
    home = next(place for place in places if place.store.role is Role.HOME)
    if home.node.kind is NodeKind.ROOT:
        yield from _added_roots(design, home, row)
    elif is_event(home):
        yield from buckets.added(design, home, row)
    else:
        yield from _added_inside(design, entity, row, rows, guard)


def _added_roots(design: Design, home: Place, row: Cells) -> Iterator[WriteStep]:
    splits = [s for s in home.store.collection.splits if s.rows is not None] if is_collection_root(home) else []
    if not splits:
        yield from _added_root(design, home.store, home.node, row)
        return
    for split in splits:
        store = design.store(split.collection)
        yield from archived(design, home, split, splits, row, tuple(_added_root(design, store, store.roots[0], row)))
    yield from not_archived(design, home, splits, row, tuple(_added_root(design, home.store, home.node, row)))


def _added_root(design: Design, store: StoredCollection, root: Node, row: Cells) -> Iterator[WriteStep]:
    yield InsertOne(store.name, root_document(design, store, root, row))
    yield from insert_parts(design, store, root, row)


def _added_inside(design: Design, entity: Entity, row: Cells, rows: str, guard: Guard | None) -> Iterator[WriteStep]:
    """Into the document of the row above, wherever that is; else among the orphans."""
    places = [p for p in design.places[entity.name] if p.copy is None and not is_paged(p)]
    inside = [place for place in places if place.node.kind is NodeKind.EMBEDDED]
    orphans = next((place for place in places if place.store.role is Role.ORPHANS and len(place.nodes) == 1), None)
    lost: tuple[WriteStep, ...]
    if orphans is not None:
        lost = tuple(_added_root(design, orphans.store, orphans.node, row))
    else:
        links = [link for link in design.model.relationships if any(is_inside_of(place, link) for place in inside)]
        kind = Violation.PARENT if any(link.enforced for link in links) else Violation.PLACE
        about = dict.fromkeys(name for link in links for name in link.child_attributes)
        text = f"a row of `{entity.name}` needs the row it belongs to"
        lost = (Refuse(rows, kind, text, attributes=entity.full_names(about)),)
    simple = all(_is_simple(place, row) for place in inside)
    if simple:
        yield from _chained(design, inside, row, lost, guard)
        return
    assert guard is None, "an array of documents that plain comparisons do not find has no guard"
    for place in inside:
        yield from with_parent(design, place, row, tuple(_into(design, place, row, document=True)))
    yield from without_parent(design, inside, row, lost)


def _is_simple(place: Place, row: Cells) -> bool:
    known = known_values(place, len(place.nodes) - 1, row.of(row.entity.attribute_names))
    overflows = place.node.embedding is not None and place.node.embedding.overflow is not None
    return is_found_by_values(place, known) and place.node.form is not Form.INLINE and not overflows


def _chained(
    design: Design, places: Sequence[Place], row: Cells, lost: tuple[WriteStep, ...], guard: Guard | None
) -> tuple[WriteStep, ...]:
    steps = lost
    for place in reversed(places):
        steps = tuple(_into(design, place, row, document=False, otherwise=steps, guard=guard))
    return steps


def _into(
    design: Design,
    place: Place,
    row: Cells,
    *,
    document: bool,
    otherwise: tuple[WriteStep, ...] = (),
    guard: Guard | None = None,
) -> Iterator[WriteStep]:
    node = place.node
    assert node.embedding is not None
    known = known_values(place, len(place.nodes) - 1, row.of(row.entity.attribute_names))
    address = parent_address(place, known, document=document)
    if node.embedding.overflow is not None:
        yield from overflow.added(design, place, row)
        return
    if not node.form.to_many and row.carried:
        yield from refuse_same(design, row, (design.model.relationship(node.embedding.relationship).child_attributes,))
    if node.form is Form.INLINE:
        changes = tuple(Set(path, value) for path, value in body_fields(design, node, row))
        yield from presence.with_subtype(place, node, changes)
        return
    if node.embedding.slots is not None:
        yield from slots.refuse_taken(design, row, node.embedding)
    where = address.where if guard is None else (*address.where, *guard.unless)
    missed = otherwise if guard is None else (*guard.otherwise, *otherwise)
    change = _addition(design, node, row, address)
    yield UpdateDocuments(place.store.name, where, (change,), address.filters, otherwise=missed)


def _addition(design: Design, node: Node, row: Cells, address: DocumentAddress) -> DocumentChange:
    embedding = node.embedding
    assert embedding is not None
    path, value = array_address(address, node), element(design, node, row)
    if node.form is Form.OBJECT:
        return Set(path, value)
    if embedding.slots is not None:
        return Set(path, value, place=row.column(embedding.slots.attribute), first=embedding.slots.first)
    return Push(path, value, array_order(node, row.entity))
