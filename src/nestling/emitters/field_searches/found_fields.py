"""What the server is asked to find fields that are in a migration's way: one pass over each collection.

It follows from the trees of fields that validators are made of, and is asked of documents that a validator refuses: these are
found faster than their fields can be listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from nestling.emitters.content import Array, Content, Either, FixedContent, Object, ValueContent
from nestling.emitters.documents import documents
from nestling.emitters.jsonschema import validator
from nestling.emitters.validators.bson_types import schema_of
from nestling.ir.design import Design
from nestling.ir.found_field import FieldSteps
from nestling.ir.storage.layout import StoredCollection

SearchExpression: TypeAlias = Mapping[str, Any]
SearchStage: TypeAlias = Mapping[str, Any]
Paths: TypeAlias = Callable[[Iterable[Content], str, FieldSteps], Iterator[SearchExpression]]
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


def one_path(steps: FieldSteps, where: str = "") -> SearchExpression:
    """The set of one path, as `FoundField` has it."""
    return {"$literal": [{"steps": [*steps], **({"where": where} if where else {})}]}


def by_path() -> Iterator[SearchStage]:
    """`{_id: {steps, where}, documents, example}` by `path`, those in most documents first; `example` is the least `_id`."""
    yield {"$unwind": "$path"}
    yield {"$group": {"_id": "$path", "documents": {"$sum": 1}, "example": {"$min": "$_id"}}}
    yield {"$sort": {"documents": -1, "_id": 1}}


def in_elements(contents: Sequence[Content], value: str, path: FieldSteps, paths: Paths) -> Iterator[SearchExpression]:
    """What is found in the elements, where the value may be an array."""
    items = [each.items for each in contents if isinstance(each, Array)]
    if items and (inner := [*paths(items, "$$this", (*path, None))]):
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


def is_whole(content: Content) -> bool:
    """Whether a value may be of any form, and nothing is said of what lies inside it."""
    return isinstance(content, ValueContent) and not schema_of(content.types)


def union(sets: Iterable[SearchExpression]) -> SearchExpression:
    """All of them as one set."""
    return {"$setUnion": [*sets]}


def told_apart(
    kinds: Sequence[Object], store: StoredCollection
) -> tuple[Sequence[tuple[str, list[object], Object]], Sequence[Object]]:
    """The kinds of documents that a discriminator tells, with its field and values, and what all others may be."""
    variant = store.collection.variant
    if variant is None or len(kinds) == 1:
        return (), kinds
    told = [(variant.discriminator, _constants(kind, variant.discriminator), kind) for kind in kinds]
    return [each for each in told if each[1]], [kind for _, values, kind in told if not values] or kinds


def _of_documents(kinds: Sequence[Object], store: StoredCollection, paths: Paths) -> SearchExpression:
    """Those of a document: each kind of a variant collection, told by its discriminator, has its own fields."""
    told, others = told_apart(kinds, store)
    branches = [
        {"case": {"$in": [f"${field}", {"$literal": values}]}, "then": union(paths([kind], "$$ROOT", ()))}
        for field, values, kind in told
    ]
    rest = union(paths(others, "$$ROOT", ()))
    return {"$switch": {"branches": branches, "default": rest}} if branches else rest


def _constants(kind: Object, field: str) -> list[object]:
    """The values of a field that tell this kind of document; none where it may have other forms."""
    return [value for each in kind.fields if each.name == field and isinstance(each.content, FixedContent)
            for value in each.content.values]  # fmt: skip
