"""Where everything is stored: a design's physical collections and the tree of documents in each.

Both are derived from the primitives. Loading, reading back, validating, drawing and pricing all walk these trees; none of them
interprets a primitive itself.

- A `StoredCollection` is one physical collection: the home of a root entity, or the orphans, overflow pages, archived rows or
  split-off attributes that belong to one.
- A `Node` is one level of its documents: the root, a sub-document, the elements of an array, or a *group* (a bucket or page
  header, which is no entity).
- A `Place` is one node with rows of an entity; the union of an entity's places is its home.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from nestling.ir.model import Model, Relationship
from nestling.ir.primitives import (
    Bucket,
    Collection,
    Copy,
    Document,
    Embedding,
    Field,
    Form,
    Holder,
    Options,
    Split,
)
from nestling.ir.rows import up
from nestling.ir.storage.names import join, stored_name


class Role(StrEnum):
    """The purpose of a store."""

    HOME = "home"
    ORPHANS = "orphans"  # rows whose parent does not exist, or (of a copied-away entity) that nothing refers to
    PAGES = "pages"  # what an array's overflow bound leaves over
    ARCHIVE = "archive"  # rows before a point in time
    PART = "part"  # attributes split off


class NodeKind(StrEnum):
    """What a node's documents represent."""

    ROOT = "root"  # a row of the root entity
    GROUP = "group"  # a bucket or page: a header over an array of rows
    EMBEDDED = "embedded"  # rows inside their parent's document, or inside a group


@dataclass(frozen=True, slots=True)
class ImpliedAttribute:
    """An attribute that is not stored because it equals `source` of the node `levels` above."""

    attribute: str
    levels: int
    source: str


@dataclass(frozen=True, slots=True)
class Presence:
    """How a document shows that it holds this kind of row: `path` (from its root) is, or contains, `value`.

    `several`: it may also hold rows of other kinds, and then lists them all.
    """

    path: str
    value: str
    several: bool = False


@dataclass(frozen=True, slots=True)
class Node:
    """One level of a store's documents.

    `field` is relative to the parent node's document, `stored` paths are relative to this node's ("" = the element itself).
    `listed` are relationships whose foreign key is found by looking for this row's id in its parent's array of ids.
    """

    kind: NodeKind
    entity: str
    form: Form
    field: str
    stored: tuple[Field, ...]
    body: Document
    implied: tuple[ImpliedAttribute, ...] = ()
    listed: tuple[str, ...] = ()
    embedding: Embedding | None = None
    bucket: Bucket | None = None
    presence: Presence | None = None
    children: tuple[Node, ...] = ()

    @property
    def beside_id(self) -> tuple[Field, ...]:
        """The stored attributes that are not in the document's `_id`; in an element one of that name is a field like others."""
        if self.kind is NodeKind.EMBEDDED:
            return self.stored
        return tuple(field for field in self.stored if field.path.partition(".")[0] != "_id")

    def path_of(self, attribute: str) -> str | None:
        """The path of a stored attribute relative to this node; None if no field here stores it."""
        return next((field.path for field in self.stored if field.attribute == attribute), None)

    def tells(self, attribute: str) -> bool:
        """Whether documents determine it without a parent's array of ids: stored here, implied by a node above, or in a pair."""
        is_implied = any(implied.attribute == attribute for implied in self.implied)
        is_paired = any(attribute in pairs.attributes for pairs in self.body.pairs)
        return self.path_of(attribute) is not None or is_implied or is_paired

    def nodes(self) -> Iterator[Node]:
        """This node and those inside it, outer ones first."""
        yield self
        for child in self.children:
            yield from child.nodes()


@dataclass(frozen=True, slots=True)
class StoredCollection:
    """One physical collection: usually one root; a variant collection has one per member."""

    name: str
    role: Role
    roots: tuple[Node, ...]
    collection: Collection
    id: tuple[str, ...] = ()
    options: Options = Options()
    embedding: Embedding | None = None  # whose pages or orphans these are
    split: Split | None = None

    def nodes(self) -> Iterator[Node]:
        """Every level of its documents, outer ones first."""
        for root in self.roots:
            yield from root.nodes()


@dataclass(frozen=True, slots=True)
class Place:
    """Where rows of an entity live: the nodes from a store's root down to theirs; `copy` when copies are the home."""

    store: StoredCollection
    nodes: tuple[Node, ...]
    copy: Copy | None = None

    @property
    def node(self) -> Node:
        """The node of the rows themselves."""
        return self.nodes[-1]

    @property
    def path(self) -> str:
        """Dotted path from the document root to the node."""
        return join(*(node.field for node in self.nodes))

    def source(self, attribute: str, level: int) -> tuple[int, str]:
        """The level and attribute that an attribute of the row at a level follows from: itself, unless nodes above imply it."""
        for implied in self.nodes[level].implied:
            if implied.attribute == attribute:
                return self.source(implied.source, level - implied.levels)
        return level, attribute

    def stored(self, attribute: str) -> tuple[int, str] | None:
        """The level, and the path there, of the field that holds an attribute of the rows; None if no field does."""
        level, name = self.source(attribute, len(self.nodes) - 1)
        path = self.nodes[level].path_of(name)
        return None if path is None else (level, path)

    def path_of(self, attribute: str) -> str | None:
        """The dotted path from the document root to the field that holds an attribute of the rows; None if no field does."""
        found = self.stored(attribute)
        return None if found is None else join(*(node.field for node in self.nodes[: found[0] + 1]), found[1])

    def path_of_parents(self, link: Relationship, attribute: str) -> str | None:
        """The dotted path from the document root to the field with an attribute of each row's parent; None if no field holds it.

        The parent's key is the row's foreign key. Other attributes are found if the row is embedded in its parent's document,
        or holds copies of them.
        """
        keys = dict(zip(link.parent_attributes, link.child_attributes, strict=True))
        if attribute in keys:
            return self.path_of(keys[attribute])
        if self.node.embedding is not None and self.node.embedding.relationship == link.name:
            return Place(self.store, self.nodes[:-1]).path_of(attribute)
        for copy in self.node.body.copies:
            field = next((each for each in copy.attributes if each.attribute == attribute), None)
            if field is not None and copy.is_of_parent and copy.path == (up(link),):
                return join(self.path, copy.name if copy.form is Form.OBJECT else "", field.path)
        return None


def stores_of(model: Model, collections: Sequence[Collection]) -> tuple[StoredCollection, ...]:
    """Every physical collection: each home followed by the stores that belong to it."""
    layout = _Layout(model, collections)
    return tuple(store for collection in collections for store in layout.stores(collection))


def places_of(model: Model, stores: Sequence[StoredCollection]) -> Mapping[str, tuple[Place, ...]]:
    """Entity name to the places that together are its home, homes before overflow, orphans and archives."""
    found: dict[str, list[Place]] = {}
    for store in stores:
        if store.role is not Role.PART:
            for root in store.roots:
                for place in _walk(model, store, (root,)):
                    found.setdefault(_entity_at(model, place), []).append(place)
    return {name: tuple(places) for name, places in found.items()}


def _entity_at(model: Model, place: Place) -> str:
    return place.copy.path[-1].target(model) if place.copy is not None else place.node.entity


def _walk(model: Model, store: StoredCollection, nodes: tuple[Node, ...]) -> Iterator[Place]:
    node = nodes[-1]
    if node.kind is not NodeKind.GROUP:
        yield Place(store, nodes)
        for copy in node.body.copies:
            if copy.home:
                yield Place(store, nodes, copy)
    for child in node.children:
        yield from _walk(model, store, (*nodes, child))


class _Layout:
    """Builds stores; holds what every step needs."""

    def __init__(self, model: Model, collections: Sequence[Collection]) -> None:
        self.model = model
        holders: dict[str, set[Holder]] = {}
        for body in every_document(collections):
            for reference in body.references:
                holders.setdefault(reference.relationship, set()).add(reference.holder)
        self.listed: dict[str, tuple[str, ...]] = {}  # child entity -> relationships held by the parent alone
        for link in model.relationships:
            if holders.get(link.name) == {Holder.PARENT}:
                self.listed[link.child] = (*self.listed.get(link.child, ()), link.name)

    def stores(self, collection: Collection) -> Iterator[StoredCollection]:
        """The home of a collection's root and everything that hangs on it."""
        yield from self._homes(collection)
        bodies = (
            collection.body,
            *(member.body for member in (collection.variant.members if collection.variant else ())),
        )
        for body in bodies:
            yield from self._outside(collection, body)

    def _homes(self, collection: Collection) -> Iterator[StoredCollection]:
        roots = tuple(self._roots(collection))
        home = StoredCollection(collection.name, Role.HOME, roots, collection, collection.id, collection.options)
        yield home
        for split in collection.splits:
            if split.rows is not None:
                yield replace(home, name=split.collection, role=Role.ARCHIVE, split=split, options=Options())
            elif not split.gridfs:
                part = self._part(collection, split)
                yield StoredCollection(split.collection, Role.PART, (part,), collection, collection.id, split=split)

    def _roots(self, collection: Collection) -> Iterator[Node]:
        variant = collection.variant
        if collection.bucket is not None:
            yield self._bucket(collection, collection.bucket)
            return
        split = frozenset(a for part in collection.splits if not part.gridfs for a in part.attributes)
        several = variant is not None and bool(variant.subtypes)
        presence = Presence(variant.discriminator, variant.value, several) if variant and variant.value else None
        yield replace(self._root(collection.body, collection.id, split, collection), presence=presence)
        for member in variant.members if variant else ():
            key = self.model.entity(member.body.entity).key
            node = self._root(member.body, key, frozenset(), collection, in_document=True)
            yield replace(node, presence=Presence(collection_discriminator(collection), member.value, several))

    def _root(
        self,
        body: Document,
        key: Sequence[str],
        without: frozenset[str],
        collection: Collection,
        *,
        in_document: bool = False,
    ) -> Node:
        variant = collection.variant
        in_document = in_document or len(key) > 1 or bool(variant and variant.members)
        paths = {a: f"_id.{stored_name(a)}" if in_document else "_id" for a in key}
        listed = self.listed.get(body.entity, ())
        implied = self._listed_attributes(body.entity, listed)
        stored = self._stored(body, without | (implied - frozenset(key)), paths)
        node = Node(NodeKind.ROOT, body.entity, Form.OBJECT, "", stored, body, listed=listed)
        return replace(node, children=self._children(body, collection))

    def _listed_attributes(self, entity: str, listed: Sequence[str]) -> frozenset[str]:
        """Foreign key attributes that only the parent's array of ids determines: not in the key or another foreign key."""
        links = self.model.parents_of(entity)
        kept = {a for link in links if link.name not in listed for a in link.child_attributes}
        kept.update(self.model.entity(entity).key)
        return frozenset(a for link in links if link.name in listed for a in link.child_attributes) - kept

    def _stored(self, body: Document, without: frozenset[str], paths: Mapping[str, str]) -> tuple[Field, ...]:
        given = {field.attribute: field.path for field in body.fields} | dict(paths)
        paired = {attribute for pairs in body.pairs for attribute in pairs.attributes}
        return tuple(
            Field(name, given.get(name, stored_name(name)))
            for name in self.model.entity(body.entity).attribute_names
            if name not in without and name not in paired
        )

    def _children(self, body: Document, collection: Collection | None) -> tuple[Node, ...]:
        return tuple(self._embedded(embedding, collection) for embedding in body.embeddings)

    def _embedded(self, embedding: Embedding, collection: Collection | None) -> Node:
        link = self.model.relationship(embedding.relationship)
        pairs = zip(link.child_attributes, link.parent_attributes, strict=True)
        return self._element(
            embedding, tuple(ImpliedAttribute(child, 1, parent) for child, parent in pairs), collection
        )

    def _element(
        self, embedding: Embedding, implied: tuple[ImpliedAttribute, ...], collection: Collection | None
    ) -> Node:
        body, form = embedding.body, embedding.form
        listed = tuple(name for name in self.listed.get(body.entity, ()) if name != embedding.relationship)
        without = frozenset(item.attribute for item in implied) | self._listed_attributes(body.entity, listed)
        stored = self._stored(body, without, {})
        if form is Form.SCALARS:
            stored = tuple(replace(field, path="") for field in stored)
        subtypes = dict(collection.variant.subtypes) if collection and collection.variant else {}
        presence = None
        if collection is not None and embedding.relationship in subtypes:
            presence = Presence(collection_discriminator(collection), subtypes[embedding.relationship], several=True)
        return Node(
            NodeKind.EMBEDDED,
            body.entity,
            form,
            "" if form is Form.INLINE else embedding.field,
            stored,
            body,
            implied,
            listed,
            embedding,
            presence=presence,
            children=self._children(body, None),
        )

    def _bucket(self, collection: Collection, bucket: Bucket) -> Node:
        body = collection.body
        listed = self.listed.get(body.entity, ())
        without = frozenset(bucket.by) | self._listed_attributes(body.entity, listed)
        names = {field.attribute: field.path for field in body.fields}
        header = tuple(Field(name, names.get(name, stored_name(name))) for name in bucket.by)
        events = Node(
            NodeKind.EMBEDDED,
            body.entity,
            Form.ARRAY,
            bucket.field,
            self._stored(body, without, {}),
            body,
            tuple(ImpliedAttribute(name, 1, name) for name in bucket.by),
            listed,
            children=self._children(body, None),
        )
        empty = Document(body.entity)
        return Node(NodeKind.GROUP, body.entity, Form.OBJECT, "", header, empty, bucket=bucket, children=(events,))

    def _part(self, collection: Collection, split: Split) -> Node:
        keep = frozenset(self.model.entity(collection.root).attribute_names) - {*collection.id, *split.attributes}
        body = Document(collection.root, collection.body.fields)
        return replace(self._root(body, collection.id, keep, collection), listed=(), children=())

    def _outside(self, collection: Collection, body: Document) -> Iterator[StoredCollection]:
        """Stores of rows that belong inside `body` but do not fit there: overflow pages, orphans, unreferred copies."""
        for copy in body.copies:
            if copy.orphans is not None:
                source = Document(copy.path[-1].target(self.model))
                yield self._orphans(collection, copy.orphans, source, None)
        for embedding in body.embeddings:
            if embedding.overflow is not None:
                yield self._pages(collection, embedding, embedding.overflow.collection)
            if embedding.orphans is not None:
                yield self._orphans(collection, embedding.orphans, embedding.body, embedding)
            yield from self._outside(collection, embedding.body)

    def _orphans(
        self, collection: Collection, name: str, body: Document, embedding: Embedding | None
    ) -> StoredCollection:
        plain = replace(collection, variant=None)
        key = self.model.entity(body.entity).key
        return StoredCollection(
            name, Role.ORPHANS, (self._root(body, key, frozenset(), plain),), collection, key, embedding=embedding
        )

    def _pages(self, collection: Collection, embedding: Embedding, name: str) -> StoredCollection:
        link = self.model.relationship(embedding.relationship)
        header = tuple(Field(attribute, stored_name(attribute)) for attribute in link.child_attributes)
        implied = tuple(ImpliedAttribute(attribute, 1, attribute) for attribute in link.child_attributes)
        elements = self._element(embedding, implied, None)
        empty = Document(link.child)
        group = Node(
            NodeKind.GROUP, link.child, Form.OBJECT, "", header, empty, embedding=embedding, children=(elements,)
        )
        return StoredCollection(name, Role.PAGES, (group,), collection, embedding=embedding)


def every_document(collections: Sequence[Collection]) -> Iterator[Document]:
    """Every document shape of the collections, parents before what they embed."""
    for collection in collections:
        members = collection.variant.members if collection.variant is not None else ()
        for body in (collection.body, *(member.body for member in members)):
            yield from nested_documents(body)


def nested_documents(body: Document) -> Iterator[Document]:
    """A document shape and all those embedded in it."""
    yield body
    for embedding in body.embeddings:
        yield from nested_documents(embedding.body)


def collection_discriminator(collection: Collection) -> str:
    """The discriminator field of a variant collection, or ""."""
    return collection.variant.discriminator if collection.variant is not None else ""
