"""Where an attribute's value is, seen from a row at a place.

Its own field; the field of a node above that implies it; a list of pairs; the collection it was split off to; or, for a foreign
key that only the parent tells, the parent whose array of ids holds this row's id.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from nestling.common.errors import DesignError, Problem
from nestling.ir.amendments import Filled, Widened, scale_of
from nestling.ir.design import Design
from nestling.ir.invariants import paths_in
from nestling.ir.model import Relationship
from nestling.ir.paths.access_path import (
    AsNumber,
    CollectionScan,
    DocumentOf,
    FieldPath,
    FixedValue,
    IfMissing,
    NullAsMissing,
    PairValue,
    PathExpression,
    ProjectDocuments,
    Step,
)
from nestling.ir.primitives import Form, Holder, Reference, Split
from nestling.ir.storage.layout import Node, NodeKind, Place, Role, StoredCollection
from nestling.ir.storage.names import join, stored_name
from nestling.ir.types import TypeName
from nestling.planner.homes.place import documents_at, with_joins


@dataclass(frozen=True, slots=True)
class NeededDocument:
    """A document of another collection a value needs, to be put under `field`; see `Lookup`."""

    foreign: Step
    local: PathExpression
    foreign_path: str
    field: str


@dataclass(frozen=True, slots=True)
class AttributeAccess:
    """An attribute's value and the joins it needs, in order."""

    value: PathExpression
    joins: tuple[NeededDocument, ...] = ()


def attribute_at(design: Design, place: Place, level: int, attribute: str) -> AttributeAccess:
    """The value of an attribute of the row at `place.nodes[level]`; raises `DesignError` when the place cannot tell it."""
    return amended(design, place.nodes[level].entity, attribute, _attribute_at(design, place, level, attribute))


def amended(design: Design, entity: str, attribute: str, found: AttributeAccess) -> AttributeAccess:
    """The attribute's value in rows whose documents were written by an earlier model."""
    if not design.amendments:
        return found
    named = (each for each in design.amendments if (each.entity, each.attribute) == (entity, attribute))
    match next(named, None):
        case None:
            return found
        case Filled(value=value):
            return replace(found, value=IfMissing(found.value, FixedValue(value)))
        case Widened(type=kind):
            number = AsNumber(found.value, kind.name is TypeName.FLOAT, scale_of(kind) or 0)
            return replace(found, value=number)


def _attribute_at(design: Design, place: Place, level: int, attribute: str) -> AttributeAccess:
    level, attribute = place.source(attribute, level)
    node = place.nodes[level]
    path = node.path_of(attribute)
    if path is not None:
        return AttributeAccess(_stored(design, place, level, attribute, path))
    for split in place.store.collection.splits if level == 0 and is_collection_root(place) else ():
        if attribute in split.attributes and not split.gridfs:
            return _part(design, place, split, attribute)
    for pairs in node.body.pairs:
        if attribute in pairs.attributes:
            array = FieldPath(join(path_to(place, level), pairs.field))
            return AttributeAccess(PairValue(array, pairs.key, stored_name(attribute), pairs.value))
    for name in node.listed:
        link = design.model.relationship(name)
        if attribute in link.child_attributes:
            return _listed(design, place, level, link, attribute)
    raise _untold(place, level, attribute)


def may_lack(design: Design, place: Place, attribute: str) -> bool:
    """Whether a row's value is one of the document around it, which may be NULL in a document without such rows."""
    own = len(place.nodes) - 1
    level, name = place.source(attribute, own)
    return level < own and design.model.entity(place.nodes[level].entity).attribute(name).nullable


def path_to(place: Place, level: int) -> str:
    """Dotted path from the document root to a node of the place."""
    return join(*(node.field for node in place.nodes[: level + 1]))


def _stored(design: Design, place: Place, level: int, attribute: str, path: str) -> PathExpression:
    node = place.nodes[level]
    value = FieldPath(join(path_to(place, level), path))
    kept = design.model.entity(node.entity).attribute(attribute)
    is_null = node.form is Form.SCALARS and kept.nullable  # a NULL among bare values
    return NullAsMissing(value) if is_null and kept.type.name is not TypeName.JSON else value


def is_collection_root(place: Place) -> bool:
    """Whether the documents are those of the collection's root entity: what its splits and its id are about."""
    root, store = place.nodes[0], place.store
    in_collection = store.role in (Role.HOME, Role.ARCHIVE) and root.kind is NodeKind.ROOT
    return in_collection and root.body == store.collection.body


def file_split(place: Place, attribute: str) -> Split | None:
    """The split that moves the attribute to GridFS, where no pipeline reads it: the documents only have pointers to its files."""
    if place.copy is not None or len(place.nodes) > 1 or not is_collection_root(place):
        return None
    return next(
        (split for split in place.store.collection.splits if split.gridfs and attribute in split.attributes), None
    )


def _part(design: Design, place: Place, split: Split, attribute: str) -> AttributeAccess:
    store = design.store(split.collection)
    path = store.roots[0].path_of(attribute)
    if path is None:
        raise _untold(place, 0, attribute)
    field = fresh_field(place.store, f"part of {store.name}")
    return AttributeAccess(
        FieldPath(join(field, path)), (NeededDocument(CollectionScan(store.name), FieldPath("_id"), "_id", field),)
    )


def _listed(design: Design, place: Place, level: int, link: Relationship, attribute: str) -> AttributeAccess:
    """The foreign key, from the parent whose array holds this row's id: one lookup for each store parents live in."""
    source = link.parent_attributes[link.child_attributes.index(attribute)]
    identity = id_at(design, place, level)
    joins, values = list(identity.joins), list[PathExpression]()
    for number, parent in enumerate(_parents(design, link)):
        reference = _reference(parent.node, link)
        assert reference is not None
        field = fresh_field(place.store, f"parent {number} of {link.name} at {level}")
        foreign_path = join(reference.field, "id" if reference.copied else "")
        joins.append(NeededDocument(_key_rows(design, parent, link), identity.value, foreign_path, field))
        values.append(FieldPath(join(field, key_field(link, source))))
    if not values:
        raise _untold(place, level, attribute)
    value = values[-1]
    for earlier in reversed(values[:-1]):
        value = IfMissing(earlier, value)
    return AttributeAccess(value, tuple(joins))


def _key_rows(design: Design, parent: Place, link: Relationship) -> Step:
    """The parents' attributes the relationship refers to, and nothing of their (long) arrays."""
    found = {key_field(link, name): attribute_at(design, parent, 0, name) for name in link.parent_attributes}
    step = with_joins(documents_at(parent), found.values())
    return ProjectDocuments(step, tuple((name, item.value) for name, item in found.items()))


def key_field(link: Relationship, attribute: str) -> str:
    """The name a parent's attribute gets in the rows a lookup brings."""
    return f"key{link.parent_attributes.index(attribute)}"


def _parents(design: Design, link: Relationship) -> tuple[Place, ...]:
    """The places of the parent's documents that hold arrays of ids."""
    places = design.places.get(link.parent, ())
    return tuple(p for p in places if p.copy is None and len(p.nodes) == 1 and _reference(p.node, link) is not None)


def _reference(node: Node, link: Relationship) -> Reference | None:
    found = (r for r in node.body.references if r.relationship == link.name and r.holder is Holder.PARENT)
    return next(found, None)


def id_at(design: Design, place: Place, level: int) -> AttributeAccess:
    """The value that others store as the id of a row: its `_id` if that is made of its key, else its key's value or values."""
    node, store = place.nodes[level], place.store
    key = design.model.entity(node.entity).key
    if level == 0 and node.kind is NodeKind.ROOT:
        is_member = store.role is not Role.ORPHANS and not is_collection_root(place)
        if is_member or set(store.id) == set(key):
            return AttributeAccess(FieldPath("_id"))
    parts = {name: attribute_at(design, place, level, name) for name in key}
    joins = tuple(dict.fromkeys(item for part in parts.values() for item in part.joins))
    if len(parts) == 1:
        return AttributeAccess(parts[key[0]].value, joins)
    return AttributeAccess(DocumentOf(tuple((stored_name(name), part.value) for name, part in parts.items())), joins)


def fresh_field(store: StoredCollection, name: str) -> str:
    """A top-level field name no document of the store uses."""
    taken = {path.split(".", 1)[0] for path in paths_in(store)}
    name = name.replace(".", "_").replace("$", "_")
    while name in taken:
        name += "'"
    return name


def _untold(place: Place, level: int, attribute: str) -> DesignError:
    node = place.nodes[level]
    where = join(place.store.name, path_to(place, level))
    return DesignError(Problem(what=f"`{attribute}` of `{node.entity}` cannot be derived from its rows in `{where}`"))
