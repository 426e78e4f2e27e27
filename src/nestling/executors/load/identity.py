"""`_id`s and ids in references: the same for a row whenever it is loaded."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import bson
from bson import ObjectId

from nestling.common.errors import Problem
from nestling.executors.load.document_code import AnyRow, DocumentCode
from nestling.executors.load.level import RowLayout
from nestling.executors.load.stored_value import UnstorableError
from nestling.ir.codec import CODEC
from nestling.ir.design import Design
from nestling.ir.model import Entity
from nestling.ir.primitives import Collection
from nestling.ir.rows import RowColumn
from nestling.ir.storage.layout import Node, Role, StoredCollection
from nestling.ir.storage.names import stored_name
from nestling.ir.values import encode


def object_id(collection: str, *key: object) -> ObjectId:
    """An ObjectId that follows from a collection's name and a key."""
    digest = hashlib.blake2b(collection.encode(), digest_size=12)
    digest.update(bson.encode({"": [encode(value) for value in key]}, codec_options=CODEC))
    return ObjectId(digest.digest())


def discriminator_of_id(store: StoredCollection, root: Node) -> tuple[str, str] | None:
    """The discriminator's name and value where the `_id` begins with it: in a variant with members."""
    variant = store.collection.variant
    if variant is None or not variant.members or root.presence is None or store.role is Role.ORPHANS:
        return None
    return variant.discriminator, root.presence.value


def id_source(
    code: DocumentCode, layout: RowLayout, entity: Entity, attributes: tuple[str, ...], prefix: tuple[str, str] | None
) -> str:
    """Source of an `_id` from attributes: a value, or a sub-document for several or with a discriminator."""
    parts = [(stored_name(name), _part(code, layout, entity, name)) for name in attributes]
    if len(parts) == 1 and prefix is None:
        return parts[0][1]
    items = [f"{prefix[0]!r}: {prefix[1]!r}"] if prefix is not None else []
    return "{" + ", ".join([*items, *(f"{name!r}: {source}" for name, source in parts)]) + "}"


def _part(code: DocumentCode, layout: RowLayout, entity: Entity, name: str) -> str:
    attribute, column = entity.attribute(name), RowColumn(name)
    source = code.value(layout, column, entity.name, attribute)
    if not attribute.nullable:
        return f"({source})"
    return f"({source}) if c{layout[column]} is not None else {code.bind(_no_id(name))}()"


def _no_id(attribute: str) -> Callable[[], object]:
    def refuse() -> object:
        problem = Problem("NULL cannot be (part of) an _id", next_move="give the row a key, or choose another `id`")
        raise UnstorableError(attribute, problem)

    return refuse


def derived_id(
    code: DocumentCode, layout: RowLayout, entity: Entity, name: str, number: Callable[[AnyRow], object]
) -> str:
    """Source of an ObjectId derived from the key, or from the row's number where rows have no key."""
    places = [layout[RowColumn(attribute)] for attribute in entity.key]
    if places and not any(entity.attribute(attribute).nullable for attribute in entity.key):
        return f"{code.bind(object_id)}({name!r}, {', '.join(f'c{place}' for place in places)})"
    return f"{code.bind(object_id)}({name!r}, {code.bind(number)}(row))"


def reference_source(code: DocumentCode, design: Design, layout: RowLayout, entity: Entity) -> str:
    """Source of the id by which others refer to a row: its `_id` where that holds the key, else the key's value(s)."""
    found = design.home_root(entity.name)
    if found is not None:
        store, root = found
        attributes = design.id_attributes(store, root)
        if set(attributes) == set(entity.key):
            return id_source(code, layout, entity, attributes, discriminator_of_id(store, root))
    return id_source(code, layout, entity, entity.key, None)


def collection_name(collection: Collection, store: StoredCollection) -> str:
    """The name derived ids begin with: rows keep their id when they move to the archive."""
    return store.name if store.role is Role.ORPHANS else collection.name
