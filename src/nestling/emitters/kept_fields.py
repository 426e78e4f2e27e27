"""The fields that every document of a design has: they distinguish its documents from another design's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nestling.emitters.content import Array, Either, FixedContent, Object, element
from nestling.emitters.documents import documents
from nestling.ir.design import Design
from nestling.ir.storage.layout import StoredCollection
from nestling.ir.storage.names import join


def kept_fields(design: Design, *, arrays: bool = True) -> Mapping[str, Mapping[str, str]]:
    """For each collection, map the path of each such field to that of its sub-document ("" for the document itself).

    Derived values and constants do not count: documents of an older schema version lack them. `arrays`: include arrays, which
    nestling writes even if they are empty, unlike other applications.
    """
    return {store.name: _of_store(design, store, arrays) for store in design.stores}


def _of_store(design: Design, store: StoredCollection, arrays: bool) -> Mapping[str, str]:
    """The fields that all kinds of documents in the collection have."""
    first, *others = [dict(_of_object(document, arrays)) for document in documents(design, store)]
    return {path: within for path, within in first.items() if all(path in other for other in others)}


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
