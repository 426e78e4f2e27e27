"""The fields that every document of a design has: they distinguish its documents from another design's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nestling.emitters.content import Array, Either, FixedContent, Object, element
from nestling.emitters.documents import documents
from nestling.ir.design import Design
from nestling.ir.primitives import BUCKET_END, BUCKET_START, PAGE
from nestling.ir.storage.layout import Node, NodeKind, StoredCollection
from nestling.ir.storage.names import join


def kept_fields(design: Design, *, arrays: bool = True) -> Mapping[str, Mapping[str, str]]:
    """For each collection, map the path of each such field to that of its sub-document ("" for the document itself).

    Derived values and constants do not count: documents of an older schema version lack them. Neither do the headers of buckets
    and pages, which `nestling check` repairs from their `_id`. `arrays`: include arrays, which nestling writes even if they are
    empty, unlike other applications.
    """
    return {store.name: _of_store(design, store, arrays) for store in design.stores}


def _of_store(design: Design, store: StoredCollection, arrays: bool) -> Mapping[str, str]:
    """The fields that all kinds of documents in the collection have."""
    first, *others = [dict(_of_object(document, arrays)) for document in documents(design, store)]
    headers = {path for root in store.roots if root.kind is NodeKind.GROUP for path in _headers(root)}
    shared = (path for path in first if path not in headers and all(path in other for other in others))
    return {path: first[path] for path in shared}


def _headers(group: Node) -> tuple[str, ...]:
    return (*(field.path for field in group.stored), BUCKET_START, BUCKET_END, PAGE)


def _of_object(content: Object, arrays: bool, prefix: str = "", within: str = "") -> Iterator[tuple[str, str]]:
    for field in content.fields:
        if field.derived or isinstance(field.content, FixedContent | Either):
            continue
        path = join(prefix, field.name)
        is_kept = field.required and (arrays or not isinstance(field.content, Array))
        if is_kept:
            yield path, within
        inner, marks = element(field.content)
        if isinstance(inner, Object):
            yield from _of_object(inner, arrays, path, within if is_kept and not marks else path)
