"""`_id` in all its forms, and ids that refer to a document or row from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.emitters.attributes import COUNT, DATE, OBJECT_ID, TEXT, values_of
from nestling.emitters.content import Content, ContentField, Either, FixedContent, Object, ValueContent, nested
from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity
from nestling.ir.primitives import BUCKET_START, PAGE
from nestling.ir.storage.layout import Node, NodeKind, Role, StoredCollection
from nestling.ir.storage.names import join, stored_name
from nestling.ir.types import FILES


def identity(design: Design, store: StoredCollection, root: Node) -> Iterator[ContentField]:
    """The fields `_id` is made of, by dotted path."""
    entity = design.model.entity(root.entity)
    if root.kind is NodeKind.GROUP:
        yield from _group_identity(entity, root)
        return
    ordered = design.id_attributes(store, root)
    own = [field for field in root.stored if field.path.partition(".")[0] == "_id"]
    own.sort(key=lambda field: ordered.index(field.attribute) if field.attribute in ordered else len(ordered))
    variant = store.collection.variant
    if own and variant is not None and variant.members and store.role is not Role.ORPHANS:
        values: Content = FixedContent((variant.value or "",))
        if root.presence is not None:
            values = FixedContent((root.presence.value,))
        yield ContentField(join("_id", variant.discriminator), values, required=True)
    for field in own:
        required = field.path == "_id" or entity.always_has(field.attribute)
        yield ContentField(field.path, values_of(entity, field.attribute), required, f"{entity.name}.{field.attribute}")
    if not own:
        yield ContentField("_id", OBJECT_ID, required=True, remark="derived from the row")


def _group_identity(entity: Entity, root: Node) -> Iterator[ContentField]:
    for field in root.stored:
        values = values_of(entity, field.attribute)
        path, source = join("_id", stored_name(field.attribute)), f"{entity.name}.{field.attribute}"
        yield ContentField(path, values, entity.always_has(field.attribute), source)
    if root.bucket is not None and root.bucket.window is not None:
        yield ContentField(join("_id", BUCKET_START), DATE)
    yield ContentField(join("_id", PAGE), COUNT, required=True)


def in_gridfs(design: Design, store: StoredCollection, root: Node, attribute: Attribute) -> Content:
    """The value of a field whose bytes are in GridFS: a pointer, or the value itself if it is neither bytes nor text."""
    pointer = _pointer(design, store, root)
    others = attribute.also if attribute.type.name in FILES else (attribute.type, *attribute.also)
    return Either((pointer, ValueContent(others, attribute.allowed))) if others else pointer


def _pointer(design: Design, store: StoredCollection, root: Node) -> Object:
    (own,) = nested(identity(design, store, root))
    file = Object(
        (
            ContentField("collection", TEXT, required=True),
            ContentField("field", TEXT, required=True),
            ContentField("_id", own.content, required=True),
        ),
        exact=True,
    )
    return Object(
        (ContentField("gridfs", file, required=True), ContentField("bytes", COUNT, required=True)), exact=True
    )


def id_of(design: Design, entity_name: str) -> Content:
    """The value that refers to a row: the `_id` of its document if that is its key, otherwise the key itself."""
    entity = design.model.entity(entity_name)
    for place in design.places.get(entity_name, ()):
        if place.store.role is Role.HOME and place.node.kind is NodeKind.ROOT and place.copy is None:
            own = {field.attribute for field in place.node.stored if field.path.partition(".")[0] == "_id"}
            if own == set(entity.key):
                (field,) = nested(identity(design, place.store, place.node))
                return field.content
    if len(entity.key) == 1:
        return values_of(entity, entity.key[0])
    return Object(
        tuple(
            ContentField(stored_name(name), values_of(entity, name), True, f"{entity.name}.{name}")
            for name in entity.key
        ),
        exact=True,
    )
