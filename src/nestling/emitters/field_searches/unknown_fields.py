"""Finds fields of documents that a design does not know.

Everything that loading writes is known, and so is the inside of a value stored whole (json). Nothing is reported below an
unknown field.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from nestling.emitters.content import Content, Object
from nestling.emitters.field_searches.found_fields import (
    SearchExpression,
    SearchStage,
    alternatives,
    by_field,
    by_path,
    in_document,
    in_elements,
    is_whole,
    union,
)
from nestling.emitters.field_searches.other_kinds import other_kinds
from nestling.emitters.jsonschema import validator
from nestling.ir.design import Design
from nestling.ir.found_field import FieldSteps
from nestling.ir.storage.layout import StoredCollection

MOST_UNKNOWN_FIELDS = 100
"""Most unknown fields of one collection that are reported, most documents first: names that are data are endless."""


def unknown_fields(design: Design) -> Mapping[str, Sequence[SearchStage]]:
    """By collection, the stages that report (`by_path`) each unknown field."""
    return {store.name: (*_stages(design, store), {"$limit": MOST_UNKNOWN_FIELDS}) for store in design.stores}


def _stages(design: Design, store: StoredCollection) -> Iterator[SearchStage]:
    refused = {"$nor": [validator(design, store, additional=False)]}
    unknown = in_document(design, store, _unknown)
    others = other_kinds(store)
    yield {"$match": refused if others is None else {"$or": [refused, others.matching]}}
    yield {"$project": {"path": unknown if others is None else union([unknown, others.paths])}}
    yield from by_path()


def _unknown(contents: Iterable[Content], value: str, path: FieldSteps) -> Iterator[SearchExpression]:
    kinds = [*alternatives(contents)]
    if any(map(is_whole, kinds)):
        return
    if any(isinstance(each, Object) for each in kinds):
        yield _in_object(by_field(kinds), value, path)
    yield from in_elements(kinds, value, path, _unknown)


def _in_object(known: Mapping[str, Sequence[Content]], value: str, path: FieldSteps) -> SearchExpression:
    names = {"$map": {"input": {"$objectToArray": "$$object"}, "in": "$$this.k"}}
    more = {"$setDifference": [names, {"$literal": list(known)}]}
    here = {"$map": {"input": more, "in": {"steps": {"$concatArrays": [{"$literal": [*path]}, ["$$this"]]}}}}
    inner = [each for name, inside in known.items() for each in _unknown(inside, f"$$object.{name}", (*path, name))]
    is_object = {"$eq": [{"$type": "$$object"}, "object"]}
    return {"$let": {"vars": {"object": value}, "in": {"$cond": [is_object, union([here, *inner]), []]}}}
