"""The documents of a collection, root row by root row."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from nestling.common.errors import LoadError, Problem
from nestling.executors.load.body import Body, body_columns, fill
from nestling.executors.load.document_code import AnyRow, DocumentCode, NewDocument, RowKey
from nestling.executors.load.identity import collection_name, derived_id, discriminator_of_id, id_source
from nestling.executors.load.level import RowLayout, StreamLevel, identifying, own_columns, total_order
from nestling.executors.load.merge import Merge, located_error, row_name
from nestling.executors.load.orphans import orphan_code
from nestling.executors.load.parts import body_of
from nestling.executors.load.split_off import file_writer, is_before, part_builder
from nestling.ir.primitives import Copy, Embedding
from nestling.ir.rows import RowColumn, RowQuery, up
from nestling.ir.storage.layout import Node, Role, StoredCollection

Documents = Iterator[tuple[str, NewDocument, AnyRow]]
"""Root documents with their collection and row; documents for other collections that came up lie in `Merge.side`."""


@dataclass(frozen=True, slots=True)
class _Root:
    """How a root row becomes documents: its own, split-off parts, and the archive it may belong to instead."""

    store: str
    code: DocumentCode
    parts: tuple[Callable[[AnyRow, object], None], ...] = ()
    archives: tuple[tuple[str, Callable[[AnyRow], bool]], ...] = ()

    @property
    def leaves(self) -> bool:
        """Whether a part of a root row is stored in other collections."""
        return bool(self.parts or self.archives)

    def settle(self, row: AnyRow, document: NewDocument) -> str:
        """Store the parts of a row elsewhere; returns the collection of its document."""
        for part in self.parts:
            part(row, document["_id"])
        return next((name for name, belongs in self.archives if belongs(row)), self.store)


def home_documents(merge: Merge, store: StoredCollection, root: Node) -> Documents:
    """Documents of a collection's root entity, or of one member of a variant."""
    level = root_level(merge, root)
    return _documents(merge, level, root, lambda body: _home(merge, store, root, body))


def orphan_documents(merge: Merge, store: StoredCollection, root: Node, embedding: Embedding) -> Documents:
    """Documents of rows without a parent; rows below them are recognised by the missing parent."""
    link = merge.model.relationship(embedding.relationship)
    absent = RowColumn(link.parent_attributes[0], (up(link),))
    level = root_level(merge, root, absent)
    return _documents(merge, level, root, lambda body: _orphan(merge, store, root, body), without_parent=link.name)


def unreferred_documents(merge: Merge, store: StoredCollection, root: Node, copy: Copy) -> Documents:
    """Documents of rows of a copied-away entity to which no row refers exactly; the others are stored in their copies."""
    link = merge.model.relationship(copy.path[0].relationship)
    level = root_level(merge, root)
    child = merge.model.entity(link.child)
    below = level.seen_from(child.name, (up(link),), own_columns(total_order(child)))
    parents = [RowColumn(name, (up(link),)) for name in link.parent_attributes]
    stream, layout = merge.read(below, (*own_columns(link.child_attributes), *parents))
    held = [(layout[RowColumn(a)], layout[b]) for a, b in zip(link.child_attributes, parents, strict=True)]
    width = len(level.identity)

    def is_referred(key: RowKey) -> bool:
        referred = False
        while (row := stream.row) is not None and row[:width] == key:
            referred = referred or all(row[a] == row[b] and row[a].__class__ is row[b].__class__ for a, b in held)
            stream.row = next(stream.rows, None)
        return referred

    for name, document, row in _documents(merge, level, root, lambda body: _orphan(merge, store, root, body)):
        if not is_referred(row[:width]):
            yield name, document, row


def root_level(merge: Merge, root: Node, absent: RowColumn | None = None) -> StreamLevel:
    """The level of root rows: nothing above, in the order of their identifying columns."""
    return StreamLevel(root.entity, (), own_columns(total_order(merge.model.entity(root.entity))), absent=absent)


def _documents(
    merge: Merge, level: StreamLevel, root: Node, compiled: Callable[[Body], _Root], without_parent: str | None = None
) -> Documents:
    layout = RowLayout((*level.identity, *body_columns(merge, root.body)))
    made = compiled(body_of(merge, level, root.body, root.children, layout))
    query = RowQuery(root.entity, layout.columns, level.identity, after=merge.after, without_parent=without_parent)
    entity, loaded, store = merge.model.entity(root.entity), merge.loaded, made.store
    build = made.code.compile_stream(lambda error, row: located_error(error, entity, layout, row))
    merge.key_width = len(level.identity)
    leaves = made.leaves
    rows, name = distinct(merge, root, merge.source.rows(query), layout), entity.name
    for row, document in build(rows):
        if leaves:
            store = made.settle(row, document)
        loaded[name] += 1
        yield store, document, row
    merge.check_exhausted()


def distinct(merge: Merge, root: Node, rows: Iterator[AnyRow], layout: RowLayout) -> Iterator[AnyRow]:
    """Root rows; the first one starts the streams below.

    Rows that cannot be distinguished must not need those streams.
    """
    first = next(rows, None)
    if first is None:
        return
    merge.start()
    yield first
    entity = merge.model.entity(root.entity)
    if identifying(entity) or not merge.has_streams:
        yield from rows
        return
    for row in rows:
        if row == first:
            what = "it has no key and equals another row, so their children cannot be told apart"
            raise LoadError(Problem(what, where=row_name(entity, layout, row), next_move="give the table a key"))
        first = row
        yield row


def _orphan(merge: Merge, store: StoredCollection, root: Node, body: Body) -> _Root:
    return _Root(store.name, orphan_code(merge, body, store.name, root, _numbers()))


def _home(merge: Merge, store: StoredCollection, root: Node, body: Body) -> _Root:
    entity, code = merge.model.entity(root.entity), body.code(merge)
    attributes = merge.design.id_attributes(store, root)
    if attributes:
        code.put("_id", id_source(code, body.layout, entity, attributes, discriminator_of_id(store, root)))
    else:
        code.put("_id", derived_id(code, body.layout, entity, collection_name(store.collection, store), _numbers()))
    for name, constant in store.collection.constants:
        code.put(name, repr(constant))
    is_main = root.body is store.collection.body
    files = [split for split in store.collection.splits if split.gridfs] if is_main else []
    fill(merge, code, body, root, frozenset(name for split in files for name in split.attributes))
    for split in files:
        for name in split.attributes:
            _file(merge, code, body, store, root, name, split.collection)
    if (variant := store.collection.variant) is not None:
        code.discriminator(variant.discriminator, root.presence.value if root.presence is not None else None)
    return _Root(store.name, code, *(_splits(merge, store, root, body) if is_main else ()))


def _file(
    merge: Merge, code: DocumentCode, body: Body, store: StoredCollection, root: Node, name: str, bucket: str
) -> None:
    attribute, path = merge.model.entity(root.entity).attribute(name), root.path_of(name) or name
    place = body.layout[RowColumn(name)]
    write = file_writer(merge, bucket, store.collection.name, path, root.entity, attribute)
    code.put(path, f"{code.bind(write)}(c{place}, d['_id'])", f"c{place} is not None")


def _splits(
    merge: Merge, store: StoredCollection, root: Node, body: Body
) -> tuple[tuple[Callable[[AnyRow, object], None], ...], tuple[tuple[str, Callable[[AnyRow], bool]], ...]]:
    parts, archives = [], []
    for split in store.collection.splits:
        if split.rows is not None:
            archives.append((split.collection, is_before(merge, body, root.entity, split)))
        elif not split.gridfs:
            part = merge.design.store(split.collection)
            assert part.role is Role.PART
            parts.append(part_builder(merge, body, part.roots[0], split))
    return tuple(parts), tuple(archives)


def _numbers() -> Callable[[AnyRow], object]:
    """A row's place in the total order, as rows come."""
    counter = itertools.count()

    def number(row: AnyRow) -> int:
        del row
        return next(counter)

    return number
