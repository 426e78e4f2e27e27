"""The fields of documents that a design does not know.

Nothing that loading writes counts as unknown, nor what lies inside a value kept whole (json). Below an unknown field nothing
further is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from nestling.emitters.content import Content, Object, ValueContent
from nestling.emitters.field_searches.found_fields import (
    SearchExpression,
    SearchStage,
    alternatives,
    by_field,
    by_path,
    in_document,
    in_elements,
    union,
)
from nestling.emitters.field_searches.other_kinds import other_kinds
from nestling.emitters.jsonschema import validator
from nestling.emitters.validators.bson_types import schema_of
from nestling.ir.design import Design
from nestling.ir.storage.layout import StoredCollection
from nestling.ir.storage.names import join

MOST = 100
"""Unknown fields of one collection that are told, those in most documents first: names that are data have no end."""


def unknown_fields(design: Design) -> Mapping[str, Sequence[SearchStage]]:
    """By collection, the stages that yield `{_id: path, documents, example}` for each unknown field."""
    return {store.name: (*_stages(design, store), {"$limit": MOST}) for store in design.stores}


def _stages(design: Design, store: StoredCollection) -> Iterator[SearchStage]:
    refused = {"$nor": [validator(design, store, additional=False)]}
    unknown = in_document(design, store, _unknown)
    others = other_kinds(store)
    yield {"$match": refused if others is None else {"$or": [refused, others.matching]}}
    yield {"$project": {"path": unknown if others is None else union([unknown, others.paths])}}
    yield from by_path()


def _unknown(contents: Iterable[Content], value: str, path: str) -> Iterator[SearchExpression]:
    kinds = [*alternatives(contents)]
    if any(isinstance(each, ValueContent) and not schema_of(each.types) for each in kinds):
        return
    if any(isinstance(each, Object) for each in kinds):
        yield _in_object(by_field(kinds), value, path)
    yield from in_elements(kinds, value, path, _unknown)


def _in_object(known: Mapping[str, Sequence[Content]], value: str, path: str) -> SearchExpression:
    names = {"$map": {"input": {"$objectToArray": "$$object"}, "in": "$$this.k"}}
    more = {"$setDifference": [names, {"$literal": list(known)}]}
    prefix = {"$literal": f"{path}." if path else ""}
    here = {"$map": {"input": more, "in": {"$concat": [prefix, "$$this"]}}}
    inner = [each for name, inside in known.items() for each in _unknown(inside, f"$$object.{name}", join(path, name))]
    is_object = {"$eq": [{"$type": "$$object"}, "object"]}
    return {"$let": {"vars": {"object": value}, "in": {"$cond": [is_object, union([here, *inner]), []]}}}
