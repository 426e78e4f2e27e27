"""What the server is asked to find the fields of documents that a design does not know: one pass over each collection.

It follows from the trees of fields that validators are made of. So nothing that loading writes counts as unknown, nor what
lies inside a value kept whole (json). Below an unknown field nothing further is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from nestling.emitters.bson_types import schema_of
from nestling.emitters.content import Array, Constant, Content, Either, Object, Value
from nestling.emitters.documents import documents
from nestling.emitters.found_fields import by_path
from nestling.emitters.jsonschema import validator
from nestling.ir.design import Design
from nestling.ir.layout import StoredCollection
from nestling.ir.names import join

MOST = 100
"""Unknown fields of one collection that are told, those in most documents first: names that are data have no end."""
Expression: TypeAlias = Mapping[str, Any]


def unknown_fields(design: Design) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """By collection, the stages that yield `{_id: path, documents, example}` for each unknown field."""
    return {store.name: tuple(_stages(design, store)) for store in design.stores}


def _stages(design: Design, store: StoredCollection) -> Iterator[Mapping[str, Any]]:
    """A closed validator passes most documents over, faster than their names can be listed."""
    yield {"$match": {"$nor": [validator(design, store, additional=False)]}}
    yield {"$project": {"path": _paths(documents(design, store), store)}}
    yield from by_path()
    yield {"$limit": MOST}


def _paths(kinds: Sequence[Object], store: StoredCollection) -> Expression:
    """The unknown paths of a document: each kind of a variant collection, told by its discriminator, knows its own fields."""
    variant = store.collection.variant
    field = variant.discriminator if variant is not None else ""
    told = [_constants(kind, field) for kind in kinds]
    others = [kind for kind, values in zip(kinds, told, strict=True) if not values] or kinds
    branches = [
        {"case": {"$in": [f"${field}", {"$literal": values}]}, "then": _union(_unknown([kind], "$$ROOT", ""))}
        for kind, values in zip(kinds, told, strict=True)
        if values and len(kinds) > 1
    ]
    rest = _union(_unknown(others, "$$ROOT", ""))
    return {"$switch": {"branches": branches, "default": rest}} if branches else rest


def _constants(kind: Object, field: str) -> list[object]:
    """The values of a field that tell this kind of document; none where it may have other forms."""
    return [value for each in kind.fields if each.name == field and isinstance(each.content, Constant)
            for value in each.content.values]  # fmt: skip


def _unknown(contents: Iterable[Content], value: str, path: str) -> Iterator[Expression]:
    """Expressions for the unknown paths in a value that is one of these contents."""
    kinds = [*_alternatives(contents)]
    if any(isinstance(each, Value) and not schema_of(each.types) for each in kinds):
        return
    if objects := [each for each in kinds if isinstance(each, Object)]:
        yield _in_object(objects, value, path)
    items = [each.items for each in kinds if isinstance(each, Array)]
    if items and (inner := [*_unknown(items, "$$this", f"{path}[]")]):
        elements = {"$cond": [{"$isArray": [value]}, value, []]}
        yield {"$reduce": {"input": elements, "initialValue": [], "in": {"$setUnion": ["$$value", *inner]}}}


def _alternatives(contents: Iterable[Content]) -> Iterator[Content]:
    for each in contents:
        if isinstance(each, Either):
            yield from _alternatives(each.alternatives)
        else:
            yield each


def _in_object(objects: Sequence[Object], value: str, path: str) -> Expression:
    known = dict[str, list[Content]]()
    for field in (field for each in objects for field in each.fields):
        known.setdefault(field.name, []).append(field.content)
    names = {"$map": {"input": {"$objectToArray": "$$object"}, "in": "$$this.k"}}
    more = {"$setDifference": [names, {"$literal": list(known)}]}
    prefix = {"$literal": f"{path}." if path else ""}
    here = {"$map": {"input": more, "in": {"$concat": [prefix, "$$this"]}}}
    inner = [each for name, inside in known.items() for each in _unknown(inside, f"$$object.{name}", join(path, name))]
    is_object = {"$eq": [{"$type": "$$object"}, "object"]}
    return {"$let": {"vars": {"object": value}, "in": {"$cond": [is_object, _union([here, *inner]), []]}}}


def _union(sets: Iterable[Expression]) -> Expression:
    return {"$setUnion": [*sets]}
