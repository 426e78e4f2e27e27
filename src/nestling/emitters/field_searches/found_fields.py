"""Finds fields that obstruct a migration, with one pass over each collection.

The search follows the trees of fields from which validators are made, and runs on documents that a validator refuses: these are
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


def in_refused(design: Design, store: StoredCollection, paths: Paths) -> Iterator[SearchStage]:
    """The stages for documents that deviate from the design by more than other fields."""
    return in_matching({"$nor": [validator(design, store, additional=True)]}, design, store, paths)


def in_matching(
    condition: SearchExpression, design: Design, store: StoredCollection, paths: Paths
) -> Iterator[SearchStage]:
    """The stages for documents that satisfy a condition."""
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
    """Group by `path` to `{_id: {steps, where}, documents, example}`, most documents first; `example` is the least `_id`."""
    yield {"$unwind": "$path"}
    yield {"$group": {"_id": "$path", "documents": {"$sum": 1}, "example": {"$min": "$_id"}}}
    yield {"$sort": {"documents": -1, "_id": 1}}


def in_elements(contents: Sequence[Content], value: str, path: FieldSteps, paths: Paths) -> Iterator[SearchExpression]:
    """What is found in the elements, if the value may be an array."""
    items = [each.items for each in contents if isinstance(each, Array)]
    if items and (inner := [*paths(items, "$$this", (*path, None))]):
        elements = {"$cond": [{"$isArray": [value]}, value, []]}
        yield {"$reduce": {"input": elements, "initialValue": [], "in": {"$setUnion": ["$$value", *inner]}}}


def by_field(contents: Iterable[Content]) -> Mapping[str, Sequence[Content]]:
    """The possible contents of each field of a sub-document."""
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
    """Whether a value may have any form, so that its inside is not described."""
    return isinstance(content, ValueContent) and not schema_of(content.types)


def union(sets: Iterable[SearchExpression]) -> SearchExpression:
    """All of them as one set."""
    return {"$setUnion": [*sets]}


def told_apart(
    kinds: Sequence[Object], store: StoredCollection
) -> tuple[Sequence[tuple[str, list[object], Object]], Sequence[Object]]:
    """The kinds of documents distinguished by a discriminator, with its field and values, and what all others may be."""
    variant = store.collection.variant
    if variant is None or len(kinds) == 1:
        return (), kinds
    told = [(variant.discriminator, _constants(kind, variant.discriminator), kind) for kind in kinds]
    return [each for each in told if each[1]], [kind for _, values, kind in told if not values] or kinds


def _of_documents(kinds: Sequence[Object], store: StoredCollection, paths: Paths) -> SearchExpression:
    """What is found in a document: each kind in a variant collection, by its discriminator, has its own fields."""
    told, others = told_apart(kinds, store)
    branches = [
        {"case": {"$in": [f"${field}", {"$literal": values}]}, "then": union(paths([kind], "$$ROOT", ()))}
        for field, values, kind in told
    ]
    rest = union(paths(others, "$$ROOT", ()))
    return {"$switch": {"branches": branches, "default": rest}} if branches else rest


def _constants(kind: Object, field: str) -> list[object]:
    """The values of a field that identify this kind of document; none if it may have other forms."""
    return [value for each in kind.fields if each.name == field and isinstance(each.content, FixedContent)
            for value in each.content.values]  # fmt: skip
