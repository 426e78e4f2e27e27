"""Which unique groups of rows inside other documents an index of the server keeps, and how far.

A unique index over a field of an array's elements compares documents, not the elements of one. An empty array, and an element
without the field, count as null there: the index is of the documents that have the field, and all elements must have it. Where
arrays lie in arrays no index leaves the empty ones out.
"""

from __future__ import annotations

from enum import StrEnum

from nestling.ir.expression import Collation
from nestling.ir.layout import NodeKind, Place, Role
from nestling.ir.model import Entity, Model
from nestling.ir.primitives import CollectionKind, Form
from nestling.ir.types import COMPOSITE, ELEMENTWISE


class Kept(StrEnum):
    """How far an index keeps a group unique."""

    NOWHERE = "nowhere"
    BETWEEN = "between documents"
    WHOLLY = "wholly"


def kept_inside(model: Model, entity: Entity, group: tuple[str, ...], place: Place) -> Kept:
    """How far a unique index over the documents that have all values of the group keeps it."""
    if group == entity.key or not _is_plain(place) or not _are_comparable(entity, group, place):
        return Kept.NOWHERE
    if _is_referred_to(model, entity, group):  # a join may use no index of some documents only
        return Kept.NOWHERE
    arrays = [node for node in place.nodes[1:] if node.form.to_many]
    if not arrays:
        return Kept.WHOLLY
    embedding = place.node.embedding
    is_whole = embedding is not None and embedding.overflow is None and embedding.slots is None
    is_last = arrays == [place.node] and place.node.form is Form.ARRAY and is_whole
    return Kept.BETWEEN if is_last and not any(entity.attribute(name).nullable for name in group) else Kept.NOWHERE


def _is_plain(place: Place) -> bool:
    """Whether each row lies in one document of a collection, beside others or not."""
    root, store = place.nodes[0], place.store
    is_home = store.role is Role.HOME and place.copy is None and len(place.nodes) > 1
    return is_home and root.kind is NodeKind.ROOT and root.bucket is None and store.options.kind is CollectionKind.PLAIN


def _are_comparable(entity: Entity, group: tuple[str, ...], place: Place) -> bool:
    """Whether equal values are equal to the index, each of them a field of the row's own."""
    attributes = [entity.attribute(name) for name in group]
    return all(
        place.node.path_of(each.name) is not None
        and each.collation is Collation.BINARY
        and not each.also
        and each.type.name not in COMPOSITE | ELEMENTWISE
        for each in attributes
    )


def _is_referred_to(model: Model, entity: Entity, group: tuple[str, ...]) -> bool:
    return any(set(link.parent_attributes) & set(group) for link in model.children_of(entity.name))
