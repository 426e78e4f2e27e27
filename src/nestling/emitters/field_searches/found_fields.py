"""What the server is asked to find fields that are in a migration's way: one pass over each collection.

It follows from the trees of fields that validators are made of, and is asked of documents that a validator refuses: these are
found faster than their fields can be listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from nestling.emitters.content import Array, Content, Either, FixedContent, Object
from nestling.emitters.documents import documents
from nestling.emitters.jsonschema import validator
from nestling.ir.design import Design
from nestling.ir.storage.layout import StoredCollection

SearchExpression: TypeAlias = Mapping[str, Any]
SearchStage: TypeAlias = Mapping[str, Any]
Paths: TypeAlias = Callable[[Iterable[Content], str, str], Iterator[SearchExpression]]
"""Sets of paths found in a value that is one of these contents, by the expression for it and its own path."""


def in_refused(design: Design, store: StoredCollection, paths: Paths, *, additional: bool) -> Iterator[SearchStage]:
    """The stages for documents that are not what the design says; `additional`: whether they may have other fields."""
    return in_matching({"$nor": [validator(design, store, additional=additional)]}, design, store, paths)


def in_matching(
    condition: SearchExpression, design: Design, store: StoredCollection, paths: Paths
) -> Iterator[SearchStage]:
    """The stages for documents of which a condition is true."""
    yield {"$match": condition}
    yield {"$project": {"path": in_document(design, store, paths)}}
    yield from by_path()


def in_document(design: Design, store: StoredCollection, paths: Paths) -> SearchExpression:
    """What is found in a document of a collection."""
    return _of_documents(documents(design, store), store, paths)


def by_path() -> Iterator[SearchStage]:
    """`{_id: path, documents, example}` for each `path`, those in most documents first; the example is the least `_id`."""
    yield {"$unwind": "$path"}
    yield {"$group": {"_id": "$path", "documents": {"$sum": 1}, "example": {"$min": "$_id"}}}
    yield {"$sort": {"documents": -1, "_id": 1}}


def in_elements(contents: Sequence[Content], value: str, path: str, paths: Paths) -> Iterator[SearchExpression]:
    """What is found in the elements, where the value may be an array."""
    items = [each.items for each in contents if isinstance(each, Array)]
    if items and (inner := [*paths(items, "$$this", f"{path}[]")]):
        elements = {"$cond": [{"$isArray": [value]}, value, []]}
        yield {"$reduce": {"input": elements, "initialValue": [], "in": {"$setUnion": ["$$value", *inner]}}}


def by_field(contents: Iterable[Content]) -> Mapping[str, Sequence[Content]]:
    """What each field of a sub-document may be."""
    known = dict[str, list[Content]]()
    for field in (field for each in contents if isinstance(each, Object) for field in each.fields):
        known.setdefault(field.name, []).append(field.content)
    return known


def alternatives(contents: Iterable[Content]) -> Iterator[Content]:
    """The contents without any that are one of several."""
    for each in contents:
        if isinstance(each, Either):
            yield from alternatives(each.alternatives)
        else:
            yield each


def union(sets: Iterable[SearchExpression]) -> SearchExpression:
    """All of them as one set."""
    return {"$setUnion": [*sets]}


def _of_documents(kinds: Sequence[Object], store: StoredCollection, paths: Paths) -> SearchExpression:
    """Those of a document: each kind of a variant collection, told by its discriminator, has its own fields."""
    variant = store.collection.variant
    field = variant.discriminator if variant is not None else ""
    told = [_constants(kind, field) for kind in kinds]
    others = [kind for kind, values in zip(kinds, told, strict=True) if not values] or kinds
    branches = [
        {"case": {"$in": [f"${field}", {"$literal": values}]}, "then": union(paths([kind], "$$ROOT", ""))}
        for kind, values in zip(kinds, told, strict=True)
        if values and len(kinds) > 1
    ]
    rest = union(paths(others, "$$ROOT", ""))
    return {"$switch": {"branches": branches, "default": rest}} if branches else rest


def _constants(kind: Object, field: str) -> list[object]:
    """The values of a field that tell this kind of document; none where it may have other forms."""
    return [value for each in kind.fields if each.name == field and isinstance(each.content, FixedContent)
            for value in each.content.values]  # fmt: skip
