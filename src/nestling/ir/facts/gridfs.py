"""GridFS: files in pieces, which drivers keep in two collections of a form of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nestling.ir.facts.collection import CollectionFacts, NamespaceKind

_FORMS = {
    ".files": ({"length", "chunkSize", "uploadDate"}, ("filename", "uploadDate")),
    ".chunks": ({"files_id", "n", "data"}, ("files_id", "n")),
}
"""The fields every document of it has, and those of the index drivers make; by the end of the name."""


def with_gridfs(collections: Sequence[CollectionFacts]) -> list[CollectionFacts]:
    """The collections, those of kind `GRIDFS` that stand beside their other half and have its form."""
    halves = {each.namespace for each in collections if _has_form(each)}

    def of(each: CollectionFacts) -> CollectionFacts:
        bucket, dot, _ = each.namespace.rpartition(".")
        whole = each.namespace in halves and all(f"{bucket}{end}" in halves for end in _FORMS)
        return replace(each, kind=NamespaceKind.GRIDFS) if whole and dot else each

    return [of(each) for each in collections]


def _has_form(collection: CollectionFacts) -> bool:
    """Whether its documents have the fields; without documents, whether it has the index."""
    for end, (fields, keys) in _FORMS.items():
        if collection.kind is NamespaceKind.COLLECTION and collection.name.endswith(end):
            found = {path.field for path in collection.top_level() if not path.missing}
            indexed = any(tuple(field for field, _ in index.keys) == keys for index in collection.indexes)
            return fields <= found if collection.paths else indexed
    return False
