"""What decides where a row lies: kinds of places, and the attributes that put a row where it is."""

from __future__ import annotations

from nestling.ir.design import Design
from nestling.ir.model import Relationship
from nestling.ir.primitives import CollectionKind, Form
from nestling.ir.storage.layout import NodeKind, Place, StoredCollection
from nestling.planner.writes.draft.gaps import write_gap


def placing(design: Design, place: Place) -> frozenset[str]:
    """Attributes that decide where at the place a row lies: when one changes, the row goes and comes again."""
    node, entity = place.node, design.model.entity(place.node.entity)
    found = {implied.attribute for implied in node.implied}
    if node.kind is NodeKind.ROOT:
        if place.store.embedding is not None:
            found.update(design.model.relationship(place.store.embedding.relationship).child_attributes)
        found.update(design.id_attributes(place.store, node))
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


def is_plain_array(place: Place) -> bool:
    """Whether rows there are the elements of an array straight in the documents of a collection, with room for all."""
    embedding = place.node.embedding
    is_near = len(place.nodes) == 2 and place.nodes[0].kind is NodeKind.ROOT
    is_roomy = embedding is not None and embedding.overflow is None and embedding.slots is None
    return is_near and is_roomy and place.node.form is Form.ARRAY


def is_paged(place: Place) -> bool:
    """Whether rows there are those an array had no room for."""
    return len(place.nodes) == 2 and place.nodes[0].kind is NodeKind.GROUP and place.nodes[0].bucket is None


def refuse_kinds(store: StoredCollection, what: str) -> None:
    """Time series and capped collections only grow."""
    if store.options.kind in (CollectionKind.TIME_SERIES, CollectionKind.CAPPED):
        raise write_gap(f"{what} in the {store.options.kind} collection `{store.name}`")
