"""Rows in their homes: what makes one go, come or change, whatever kind of place it lies at.

All of these are steps for one row at hand; `OLD` columns tell where it is, `NEW` columns where it belongs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nestling.ir.design import Design
from nestling.ir.layout import Node, NodeKind, Place, Role, Store
from nestling.ir.model import Entity, Relationship
from nestling.ir.names import join
from nestling.ir.primitives import CollectionKind, Form
from nestling.ir.write_path import (
    Cell,
    Change,
    Constant,
    DeleteDocuments,
    ElementFilter,
    InsertOne,
    Match,
    Pull,
    Push,
    Refuse,
    Set,
    UpdateDocuments,
    Violation,
    WriteStep,
)
from nestling.planner.attribute import is_collection_root
from nestling.planner.writes import buckets, overflow, presence, slots
from nestling.planner.writes.address import (
    Address,
    array_address,
    element_matches,
    is_found_by_values,
    known_values,
    parent_address,
    row_address,
)
from nestling.planner.writes.archive import archived, not_archived
from nestling.planner.writes.cells import ID, NOTHING, OLD, Cells, carried_paths, identity
from nestling.planner.writes.constraints import refuse_same
from nestling.planner.writes.document import body_fields, element, id_attributes, pair_fields, root_document
from nestling.planner.writes.found import with_parent, without_parent
from nestling.planner.writes.order import array_order
from nestling.planner.writes.parts import insert_parts, part_changes, remove_parts
from nestling.planner.writes.work import gap

# --- what changing means ---------------------------------------------------------------------------------------------


def placing(design: Design, place: Place) -> frozenset[str]:
    """Attributes that decide where at the place a row lies: when one changes, the row goes and comes again."""
    node, entity = place.node, design.model.entity(place.node.entity)
    found = {implied.attribute for implied in node.implied}
    if node.kind is NodeKind.ROOT:
        if place.store.embedding is not None:
            found.update(design.model.relationship(place.store.embedding.relationship).child_attributes)
        found.update(id_attributes(design, place.store, node))
        found.update(s.rows.attribute for s in place.store.collection.splits if s.rows is not None)
        return frozenset(found)
    if is_event(place) or node.form is Form.SCALARS or (node.form.to_many and not entity.key):
        return frozenset(entity.attribute_names)
    if node.form.to_many:
        found.update(entity.key)
    if node.embedding is not None:
        found.update(order.attribute for order in node.embedding.order)
        found.update((node.embedding.slots.attribute,) if node.embedding.slots is not None else ())
    return frozenset(found)


def is_event(place: Place) -> bool:
    """Whether rows there are the events of a bucket."""
    return len(place.nodes) == 2 and place.nodes[0].bucket is not None


def is_inside_of(place: Place, link: Relationship) -> bool:
    """Whether the rows lie inside their parents along the relationship."""
    return place.node.embedding is not None and place.node.embedding.relationship == link.name


def is_paged(place: Place) -> bool:
    """Whether rows there are those an array had no room for."""
    return len(place.nodes) == 2 and place.nodes[0].kind is NodeKind.GROUP and place.nodes[0].bucket is None


# --- going -----------------------------------------------------------------------------------------------------------


def removed(design: Design, place: Place, entity: Entity) -> Iterator[WriteStep]:
    """Take the row out of its home."""
    refuse_kinds(place.store, "UPDATE or DELETE")
    row, node = Cells(entity, OLD), place.node
    if node.kind is NodeKind.ROOT:
        yield DeleteDocuments(place.store.name, (Match("_id", Cell(ID)),))
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


def _removal(place: Place, address: Address, row: Cells) -> Iterator[Change]:
    node = place.node
    if node.form is Form.INLINE:
        for path in inline_paths(node):
            yield Set(path, NOTHING)
    elif node.form is Form.OBJECT:
        yield Set(address.path, NOTHING)
    elif node.embedding is not None and node.embedding.slots is not None:
        slots = node.embedding.slots
        yield Set(_array_path(address), Constant(None), place=row.column(slots.attribute), first=slots.first)
    else:
        known = known_values(place, len(place.nodes) - 1, row.of(identity(row.entity)))
        yield Pull(_array_path(address), element_matches(node, known[-1], row))


def _array_path(address: Address) -> str:
    return address.path.rsplit(".", 1)[0]


def outer_filters(address: Address, place: Place) -> tuple[ElementFilter, ...]:
    """The filters of the arrays around the row's own place."""
    return tuple(
        item for item in address.filters if item.name != f"e{len(place.nodes) - 1}" or place.node.form is Form.OBJECT
    )


def inline_paths(node: Node) -> tuple[str, ...]:
    """All fields of a row that stand beside its parent's own."""
    own = [field.path for field in node.stored] + [pairs.field for pairs in node.body.pairs]
    return (*own, *carried_paths(node))


# --- coming ----------------------------------------------------------------------------------------------------------


def added(design: Design, entity: Entity, row: Cells, rows: str) -> Iterator[WriteStep]:
    """Put the row where it belongs: into its collection, its parent's document, a bucket, or among the orphans."""
    places = [place for place in design.places[entity.name] if place.copy is None]
    home = next(place for place in places if place.store.role is Role.HOME)
    if home.node.kind is NodeKind.ROOT:
        yield from _added_roots(design, home, row)
    elif is_event(home):
        yield from buckets.added(design, home, row)
    else:
        yield from _added_inside(design, entity, row, rows)


def _added_roots(design: Design, home: Place, row: Cells) -> Iterator[WriteStep]:
    splits = [s for s in home.store.collection.splits if s.rows is not None] if is_collection_root(home) else []
    if not splits:
        yield from _added_root(design, home.store, home.node, row)
        return
    for split in splits:
        store = design.store(split.collection)
        yield from archived(design, home, split, splits, row, tuple(_added_root(design, store, store.roots[0], row)))
    yield from not_archived(design, home, splits, row, tuple(_added_root(design, home.store, home.node, row)))


def _added_root(design: Design, store: Store, root: Node, row: Cells) -> Iterator[WriteStep]:
    yield InsertOne(store.name, root_document(design, store, root, row))
    yield from insert_parts(design, store, root, row)


def _added_inside(design: Design, entity: Entity, row: Cells, rows: str) -> Iterator[WriteStep]:
    """Into the document of the row above, wherever that is; else among the orphans."""
    places = [p for p in design.places[entity.name] if p.copy is None and not is_paged(p)]
    inside = [place for place in places if place.node.kind is NodeKind.EMBEDDED]
    orphans = next((place for place in places if place.store.role is Role.ORPHANS and len(place.nodes) == 1), None)
    lost: tuple[WriteStep, ...]
    if orphans is not None:
        lost = tuple(_added_root(design, orphans.store, orphans.node, row))
    else:
        enforced = any(
            is_inside_of(place, link) for place in inside for link in design.model.relationships if link.enforced
        )
        kind = Violation.PARENT if enforced else Violation.PLACE
        lost = (Refuse(rows, kind, f"a row of `{entity.name}` needs the row it belongs to"),)
    simple = all(_is_simple(place, row) for place in inside)
    if simple:
        yield from _chained(design, inside, row, lost)
        return
    for place in inside:
        yield from with_parent(design, place, row, tuple(_into(design, place, row, document=True)))
    yield from without_parent(design, inside, row, lost)


def _is_simple(place: Place, row: Cells) -> bool:
    known = known_values(place, len(place.nodes) - 1, row.of(row.entity.attribute_names))
    overflows = place.node.embedding is not None and place.node.embedding.overflow is not None
    return is_found_by_values(place, known) and place.node.form is not Form.INLINE and not overflows


def _chained(design: Design, places: Sequence[Place], row: Cells, lost: tuple[WriteStep, ...]) -> tuple[WriteStep, ...]:
    steps = lost
    for place in reversed(places):
        steps = tuple(_into(design, place, row, document=False, otherwise=steps))
    return steps


def _into(
    design: Design, place: Place, row: Cells, *, document: bool, otherwise: tuple[WriteStep, ...] = ()
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
    yield UpdateDocuments(
        place.store.name, address.where, (_addition(design, node, row, address),), address.filters, otherwise=otherwise
    )


def _addition(design: Design, node: Node, row: Cells, address: Address) -> Change:
    embedding = node.embedding
    assert embedding is not None
    path, value = array_address(address, node), element(design, node, row)
    if node.form is Form.OBJECT:
        return Set(path, value)
    if embedding.slots is not None:
        return Set(path, value, place=row.column(embedding.slots.attribute), first=embedding.slots.first)
    return Push(path, value, array_order(node, row.entity))


# --- changing --------------------------------------------------------------------------------------------------------


def changed(
    design: Design, place: Place, before: Cells, after: Cells, attributes: frozenset[str]
) -> Iterator[WriteStep]:
    """Give attributes their new values where the row lies."""
    refuse_kinds(place.store, "UPDATE")
    node = place.node
    address = row_address(place, before)
    prefix = "" if node.kind is NodeKind.ROOT or node.form is Form.INLINE else address.path
    changes = [
        Set(join(prefix, field.path), after[field.attribute]) for field in node.stored if field.attribute in attributes
    ]
    for pairs, (path, value) in zip(node.body.pairs, pair_fields(node, after), strict=True):
        if set(pairs.attributes) & attributes:
            changes.append(Set(join(prefix, path), value))
    if changes:
        yield UpdateDocuments(place.store.name, address.where, tuple(changes), address.filters)
    if node.kind is NodeKind.ROOT:
        yield from part_changes(design, place, after, attributes)


def refuse_kinds(store: Store, what: str) -> None:
    """Time series and capped collections only grow."""
    if store.options.kind in (CollectionKind.TIME_SERIES, CollectionKind.CAPPED):
        raise gap(f"{what} in the {store.options.kind} collection `{store.name}`")
