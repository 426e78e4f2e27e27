"""The new design under the names its collections have until the cutover, and which of them need not move at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nestling.ir.design import Design
from nestling.ir.primitives import Collection, Copy, Document, Embedding, Member, Split
from nestling.ir.storage.layout import StoredCollection
from nestling.ir.storage.stored_names import stored_names

STAGED = ".new"
"""What follows the name of a collection of the new design while the old one holds that name."""


def kept_collections(old: Design, new: Design) -> frozenset[str]:
    """The collections (with all that belongs to them) whose documents stay as they are: both designs store the same there."""
    return frozenset(
        collection.name
        for collection in new.collections
        if collection in old.collections
        and _stores(new, collection) == _stores(old, collection)
        and not any(_is_amended(old, store) for store in _stores(old, collection))
    )


def _is_amended(design: Design, store: StoredCollection) -> bool:
    """Whether documents hold what rows have otherwise than they say."""
    amended = {(each.entity, each.attribute) for each in design.amendments}
    return any(name in amended for _, name in (stored_names(design.model, store) if amended else ()))


def _stores(design: Design, collection: Collection) -> tuple[StoredCollection, ...]:
    return tuple(store for store in design.stores if store.collection == collection)


def written_names(design: Design) -> frozenset[str]:
    """Every collection of a design, GridFS buckets by their own name."""
    buckets = {split.collection for each in design.collections for split in each.splits if split.gridfs}
    return frozenset(store.name for store in design.stores) | buckets


def staged_names(old: Design, new: Design, kept: frozenset[str]) -> Mapping[str, str]:
    """The name until the cutover of each collection that moves: all but those `kept`."""
    taken = written_names(old)
    moved = [each for each in new.collections if each.name not in kept]
    names = {store.name for each in moved for store in _stores(new, each)}
    names |= {split.collection for each in moved for split in each.splits if split.gridfs}
    return {name: f"{name}{STAGED}" if name in taken else name for name in sorted(names)}


def renamed(design: Design, names: Mapping[str, str]) -> Design:
    """The design with other names for some collections."""
    collections = tuple(_collection(each, names) for each in design.collections)
    indexes = tuple(replace(index, collection=_name(index.collection, names)) for index in design.indexes)
    return replace(design, collections=collections, indexes=indexes)


def _name(name: str, names: Mapping[str, str]) -> str:
    return names.get(name, name)


def _collection(collection: Collection, names: Mapping[str, str]) -> Collection:
    variant = collection.variant
    if variant is not None:
        members = tuple(Member(each.value, _document(each.body, names)) for each in variant.members)
        variant = replace(variant, members=members)
    return replace(
        collection,
        name=_name(collection.name, names),
        body=_document(collection.body, names),
        variant=variant,
        splits=tuple(_split(each, names) for each in collection.splits),
    )


def _split(split: Split, names: Mapping[str, str]) -> Split:
    return replace(split, collection=_name(split.collection, names))


def _document(body: Document, names: Mapping[str, str]) -> Document:
    return replace(
        body,
        embeddings=tuple(_embedding(each, names) for each in body.embeddings),
        copies=tuple(_copy(each, names) for each in body.copies),
    )


def _embedding(embedding: Embedding, names: Mapping[str, str]) -> Embedding:
    overflow = embedding.overflow
    return replace(
        embedding,
        body=_document(embedding.body, names),
        overflow=None if overflow is None else replace(overflow, collection=_name(overflow.collection, names)),
        orphans=None if embedding.orphans is None else _name(embedding.orphans, names),
    )


def _copy(copy: Copy, names: Mapping[str, str]) -> Copy:
    return copy if copy.orphans is None else replace(copy, orphans=_name(copy.orphans, names))
