"""One kind of root documents of the new design: what identifies them, and where they and their parts are stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bson import MaxKey, MinKey

from nestling.common.errors import GapError, Problem
from nestling.executors.load.identity import collection_name, discriminator_of_id, object_id
from nestling.executors.load.level import is_keyset, total_order
from nestling.executors.load.units import Unit
from nestling.executors.migrate.distinct_values import once
from nestling.ir.design import Design
from nestling.ir.migration import Reach
from nestling.ir.model import Entity, Model, Relationship
from nestling.ir.primitives import CollectionKind, Document, Pairs
from nestling.ir.rows import Row, RowPath, down
from nestling.ir.storage.layout import Node, NodeKind, Role, StoredCollection
from nestling.ir.storage.names import stored_name
from nestling.ir.storage.stored_forms import AttributesOf, sql_value
from nestling.ir.values import Policy, encoder

RootKey = tuple[object, ...]
"""Conceptual values that identify root rows; for a bucket those of its owner."""
Found = tuple[str, Mapping[str, Any]]
"""A collection and a filter for documents in it."""
ASKED_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class MigrationUnit:
    """A unit of the loader with the paths that its documents depend on; `attributes` identify a scope."""

    design: Design
    unit: Unit
    root: Node
    reaches: tuple[Reach, ...]
    policy: Policy

    @property
    def store(self) -> StoredCollection:
        """The collection of the root documents."""
        return self.unit.store

    @property
    def entity(self) -> Entity:
        """The root entity of the unit."""
        return self.design.model.entity(self.root.entity)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that identify root rows; one scope may have several documents."""
        return self.root.bucket.by if self.root.bucket is not None else total_order(self.entity)

    @property
    def required(self) -> AttributesOf:
        """The attributes, by entity, that rows of its documents require; merely copied ones are optional."""
        entities = (self.design.model.entity(name) for name in dict.fromkeys(node.entity for node in self.root.nodes()))
        return {each.name: frozenset(a.name for a in each.attributes if not a.nullable) for each in entities}

    @property
    def is_keyed(self) -> bool:
        """Whether a root row's `_id` follows from its scope."""
        return self.root.kind is not NodeKind.GROUP and (self._in_id or self._derived)

    @property
    def is_numbered(self) -> bool:
        """Whether `_id`s say nothing: they number rows that have no key."""
        return self.root.kind is not NodeKind.GROUP and not self._id and not self._derived

    @property
    def is_series(self) -> bool:
        """Whether the server keeps the documents as a time series."""
        return self.store.options.kind is CollectionKind.TIME_SERIES

    @property
    def _id(self) -> tuple[str, ...]:
        return self.entity.key if self.store.role is Role.ORPHANS else self.design.id_attributes(self.store, self.root)

    @property
    def _in_id(self) -> bool:
        return bool(self._id) and set(self._id) <= set(self.attributes)

    @property
    def _derived(self) -> bool:
        key = self.entity.key
        return not self._id and bool(key) and is_keyset(self.entity) and set(key) <= set(self.attributes)

    def scoping(self) -> Callable[[Row], RootKey]:
        """The function from a root row to its scope."""
        names = self.entity.attribute_names
        places = [names.index(name) for name in self.attributes]
        return lambda row: tuple(sql_value(row[place]) for place in places)

    def check(self) -> None:
        """Raise `GapError` where documents could not be found again."""
        is_main = self.root.body is self.store.collection.body
        if not self.is_keyed and is_main and any(split.rows is None for split in self.store.collection.splits):
            what = f"`{self.store.name}` splits rows without a key, which cannot be followed while they change"
            raise GapError(Problem(what, next_move="give the table a key, or migrate with `--offline`"))
        if not self.is_keyed and any(
            self.root.path_of(name) is None and self._pairs(name) is None for name in self.attributes
        ):
            what = f"documents of `{self.store.name}` cannot be identified by fields of their own"
            raise GapError(Problem(what, next_move="give the table a key, or migrate with `--offline`"))

    # --- what is there now --------------------------------------------------------------------------------------------

    @property
    def collections(self) -> tuple[str, ...]:
        """The collections of its root documents: its own, and archives."""
        is_main = self.store.role is Role.HOME and self.root.body is self.store.collection.body
        archives = (s.collection for s in self.store.collection.splits if s.rows is not None) if is_main else ()
        return (self.store.name, *archives)

    def finders(self, scopes: Iterable[RootKey]) -> Iterator[Found]:
        """Filters for every document of these scopes, including split-off parts and files."""
        known = once(scopes)
        for start in range(0, len(known), ASKED_AT_ONCE):
            some = known[start : start + ASKED_AT_ONCE]
            if not self.is_keyed:
                either = {"$or": [self._by_fields(scope) for scope in some]} if self.attributes else {}
                yield from ((name, either) for name in self.collections)
                continue
            ids = [self.id_of(scope) for scope in some]
            yield from ((name, {"_id": {"$in": ids}}) for name in self.collections)
            yield from self._beside(ids)

    def _beside(self, ids: Sequence[object]) -> Iterator[Found]:
        if self.store.role is not Role.HOME or self.root.body is not self.store.collection.body:
            return
        for split in self.store.collection.splits:
            if split.gridfs:
                paths = [self.root.path_of(name) or name for name in split.attributes]
                names = [
                    {"collection": self.store.collection.name, "field": path, "_id": key}
                    for key in ids
                    for path in paths
                ]
                yield f"{split.collection}.files", {"_id": {"$in": names}}
                yield f"{split.collection}.chunks", {"files_id": {"$in": names}}
            elif split.rows is None:
                yield split.collection, {"_id": {"$in": list(ids)}}

    def _by_fields(self, scope: RootKey) -> dict[str, Any]:
        conditions = [self._is(name, value) for name, value in zip(self.attributes, scope, strict=True)]
        return {"$and": conditions}

    def _is(self, name: str, value: object) -> dict[str, Any]:
        """The condition that a root document holds this value; NULL may be missing or null."""
        stored, path = self._stored(name, value), self.root.path_of(name)
        if path is not None and value is None:
            return {"$or": [{path: {"$exists": False}}, {path: {"$type": "null", "$not": {"$type": "array"}}}]}
        if path is not None:
            return {path: {"$eq": stored}}
        pairs = self._pairs(name)
        assert pairs is not None, "checked"
        if value is None:
            return {f"{pairs.field}.{pairs.key}": {"$ne": stored_name(name)}}
        return {pairs.field: {"$elemMatch": {pairs.key: stored_name(name), pairs.value: {"$eq": stored}}}}

    def _pairs(self, name: str) -> Pairs | None:
        return next((pairs for pairs in self.root.body.pairs if name in pairs.attributes), None)

    def id_of(self, scope: RootKey) -> object:
        """The `_id` of a keyed scope's document."""
        values = dict(zip(self.attributes, scope, strict=True))
        if self._derived:
            owner = (
                self.store.name
                if self.store.role is Role.ORPHANS
                else collection_name(self.store.collection, self.store)
            )
            return object_id(owner, *(values[name] for name in self.entity.key))
        parts = [(stored_name(name), self._stored(name, values[name])) for name in self._id]
        prefix = discriminator_of_id(self.store, self.root)
        if len(parts) == 1 and prefix is None:
            return parts[0][1]
        return dict([prefix, *parts] if prefix is not None else parts)

    def stored(self, scope: RootKey) -> tuple[object, ...]:
        """A scope's values in BSON."""
        return tuple(self._stored(name, value) for name, value in zip(self.attributes, scope, strict=True))

    def _stored(self, name: str, value: object) -> object:
        return None if value is None else encoder(self.entity.attribute(name).type, self.policy)(value)

    # --- overflow -----------------------------------------------------------------------------------------------------

    @property
    def paged(self) -> tuple[Paged, ...]:
        """The embeddings whose arrays overflow into pages."""
        body = self.root.children[0].body if self.root.kind is NodeKind.GROUP else self.root.body
        return tuple(_paged(self.design.model, body, ()))


@dataclass(frozen=True, slots=True)
class Paged:
    """An embedding that overflows; `path` leads from the root row to the parents of its pages."""

    path: RowPath
    link: Relationship
    collection: str

    def owner(self, model: Model, parent: Row) -> RootKey:
        """The key by which the pages of a parent row are found."""
        names = model.entity(self.link.parent).attribute_names
        return tuple(sql_value(parent[names.index(name)]) for name in self.link.parent_attributes)

    def finder(self, model: Model, owner: RootKey, policy: Policy) -> Found:
        """The filter for the pages of one parent."""
        child = model.entity(self.link.child)
        pairs = zip(self.link.child_attributes, owner, strict=True)
        fields = {stored_name(name): encoder(child.attribute(name).type, policy)(value) for name, value in pairs}
        bounds = {"$gt": {**fields, "page": MinKey()}, "$lt": {**fields, "page": MaxKey()}}
        return self.collection, {"_id": bounds}


def _paged(model: Model, body: Document, path: RowPath) -> Iterator[Paged]:
    for embedding in body.embeddings:
        link = model.relationship(embedding.relationship)
        if embedding.overflow is not None:
            yield Paged(path, link, embedding.overflow.collection)
        yield from _paged(model, embedding.body, (*path, down(link)))
