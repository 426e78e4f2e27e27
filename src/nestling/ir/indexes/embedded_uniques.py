"""Which keys and unique groups of embedded rows a server index enforces, and how far.

A unique index over a field of an array's elements compares documents, not the elements of one. Documents without such elements
must not conflict: the index is sparse, and all elements must have the fields. A bucket always has an event, so its index need
not be sparse. Each collection has its own index: rows of one entity in two collections are not compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from nestling.ir.model import Entity, Model, Relationship
from nestling.ir.primitives import CollectionKind, Form
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.layout import Place, Role
from nestling.ir.types import COMPOSITE, ELEMENTWISE


class Kept(StrEnum):
    """How far an index keeps a group unique."""

    NOWHERE = "nowhere"
    BETWEEN = "between documents"
    WHOLLY = "wholly"


def kept_inside(entity: Entity, group: tuple[str, ...], place: Place) -> Kept:
    """How far a unique index of a collection keeps the group among the rows at a place."""
    if not group or not _is_inside(place) or not _are_comparable(entity, group, place):
        return Kept.NOWHERE
    arrays = [node for node in place.nodes[1:] if node.form.to_many]
    if not arrays:
        return Kept.WHOLLY
    if len(group) > 1 and any(node.form.to_many for node in place.nodes[1:-1]):
        return Kept.NOWHERE  # an element without the rows below it is in an index of several fields, with NULLs
    has_fields = all(node.form is Form.ARRAY for node in arrays)
    is_there = all(entity.always_has(name) for name in group)
    return Kept.BETWEEN if has_fields and is_there else Kept.NOWHERE


def kept_where(place: Place, group: tuple[str, ...]) -> tuple[Clause, ...]:
    """Which documents the index of an enforced group covers: all buckets of such rows, or else those with such rows."""
    if place.nodes[0].bucket is not None and place.node is place.nodes[1]:
        return ()
    return tuple(Clause(path, ClauseOperator.PRESENT) for path in sorted(filter(None, map(place.path_of, group))))


def is_found_by_kept(
    entity: Entity, group: tuple[str, ...], place: Place, links: Iterable[Relationship], model: Model
) -> bool:
    """Whether the index that keeps a group also finds its rows for every join along `links`, so that no second one is needed.

    The server does not look for NULL in an index of some documents only: it reads the whole collection.
    """
    if kept_inside(entity, group, place) is Kept.NOWHERE:
        return False
    if not kept_where(place, group):
        return True
    joined = (link for link in links if set(link.parent_attributes) & set(group))
    return all(model.entity(link.child).always_has(name) for link in joined for name in link.child_attributes)


def is_told_by_parent(model: Model, group: tuple[str, ...], place: Place) -> bool:
    """Whether rows with the same values of a group are in one document, or in the buckets of one owner.

    Two writers of such rows then change the same document, and one of them waits for the other.
    """
    bucket, embedding = place.nodes[0].bucket, place.node.embedding
    if bucket is not None:
        return set(bucket.by) <= set(group)
    return embedding is not None and set(model.relationship(embedding.relationship).child_attributes) <= set(group)


def _is_inside(place: Place) -> bool:
    """Whether the rows are inside documents of a plain collection."""
    is_plain = place.store.options.kind is CollectionKind.PLAIN and place.store.role is not Role.PART
    return is_plain and place.copy is None and len(place.nodes) > 1


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
