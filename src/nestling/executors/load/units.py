"""The units of a load: one for each root of each collection, in the order of the design.

Pages, parts, archives and GridFS files are written together with their root documents and are not separate units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from nestling.executors.load.buckets import bucket_documents
from nestling.executors.load.level import is_keyset
from nestling.executors.load.merge import Merge
from nestling.executors.load.roots import Documents, home_documents, orphan_documents, unreferred_documents
from nestling.ir.design import Design
from nestling.ir.primitives import CollectionKind, Copy
from nestling.ir.programs.command import CreateIndex
from nestling.ir.storage.layout import Node, NodeKind, Role, StoredCollection, every_document


@dataclass(frozen=True, slots=True)
class Unit:
    """The documents of one root.

    `by_key`: reading can continue after a root key; otherwise it starts again and skips what is already written. `anew`: the
    collection has no unique `_id` to show what it holds (time series) or forgets documents (capped), so it is emptied first.
    """

    name: str
    store: StoredCollection
    documents: Callable[[Merge], Documents]
    by_key: bool
    anew: bool


def units_of(design: Design) -> tuple[Unit, ...]:
    """Every unit of a design."""
    return tuple(_units(design))


def _units(design: Design) -> Iterator[Unit]:
    for store in design.stores:
        if store.role not in (Role.HOME, Role.ORPHANS):
            continue
        anew = store.options.kind in (CollectionKind.TIME_SERIES, CollectionKind.CAPPED)
        for root in store.roots:
            is_group = root.kind is NodeKind.GROUP
            by_key = not is_group and not anew and is_keyset(design.model.entity(root.entity))
            documents = _documents(design, store, root)
            yield Unit(f"{store.name} of {root.entity}", store, documents, by_key, anew)


def _documents(design: Design, store: StoredCollection, root: Node) -> Callable[[Merge], Documents]:
    if root.kind is NodeKind.GROUP:
        return lambda merge: bucket_documents(merge, store, root)
    if store.role is Role.HOME:
        return lambda merge: home_documents(merge, store, root)
    embedding = store.embedding
    if embedding is not None:
        return lambda merge: orphan_documents(merge, store, root, embedding)
    copy = _home_copy(design, store.name)
    return lambda merge: unreferred_documents(merge, store, root, copy)


def _home_copy(design: Design, store: str) -> Copy:
    copies = (copy for body in every_document(design.collections) for copy in body.copies)
    return next(copy for copy in copies if copy.orphans == store)


def written_collections(design: Design) -> tuple[str, ...]:
    """Every collection a load writes: the design's stores and the two of each GridFS bucket."""
    buckets = (split.collection for item in design.collections for split in item.splits if split.gridfs)
    files = (f"{bucket}.{kind}" for bucket in buckets for kind in ("files", "chunks"))
    return tuple(dict.fromkeys((*(store.name for store in design.stores), *files)))


def gridfs_indexes(design: Design) -> Iterator[CreateIndex]:
    """The indexes drivers expect of a GridFS bucket."""
    for bucket in dict.fromkeys(s.collection for item in design.collections for s in item.splits if s.gridfs):
        yield CreateIndex(f"{bucket}.chunks", (("files_id", 1), ("n", 1)), {"unique": True})
        yield CreateIndex(f"{bucket}.files", (("filename", 1), ("uploadDate", 1)), {})
