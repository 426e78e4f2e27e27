"""The arrays that documents lack where a design has an empty one: no rows either way, and another answer of `$exists`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from nestling.emitters.content import Array, Content, Object, lenient
from nestling.emitters.documents import documents
from nestling.emitters.field_searches.found_fields import (
    SearchExpression,
    SearchStage,
    alternatives,
    by_field,
    in_elements,
    in_refused,
    one_path,
)
from nestling.ir.design import Design
from nestling.ir.found_field import FieldSteps


def missing_arrays(design: Design) -> Mapping[str, Sequence[SearchStage]]:
    """By collection, the stages that report (`by_path`) each array that some documents lack."""
    return {store.name: tuple(in_refused(design, store, _missing)) for store in design.stores}


def written_arrays(design: Design) -> frozenset[tuple[str, FieldSteps]]:
    """The collection and path of every array that is written even if it is empty."""
    return frozenset(
        (store.name, path)
        for store in design.stores
        for kind in documents(design, store)
        for path in _written(kind, ())
    )


def _missing(contents: Iterable[Content], value: str, path: FieldSteps) -> Iterator[SearchExpression]:
    kinds = [*alternatives(contents)]
    is_object = {"$eq": [{"$type": value}, "object"]}
    for name in dict.fromkeys(each for kind in kinds if isinstance(kind, Object) for each in _arrays(kind)):
        is_missing = {"$eq": [{"$type": f"{value}.{name}"}, "missing"]}
        yield {"$cond": [{"$and": [is_object, is_missing]}, one_path((*path, name)), []]}
    for name, inside in by_field(kinds).items():
        yield from _missing(inside, f"{value}.{name}", (*path, name))
    yield from in_elements(kinds, value, path, _missing)


def _written(content: Content, path: FieldSteps) -> Iterator[FieldSteps]:
    for each in alternatives([content]):
        if isinstance(each, Array):
            yield from _written(each.items, (*path, None))
        elif isinstance(each, Object):
            yield from ((*path, name) for name in _arrays(each))
            for field in each.fields:
                yield from _written(field.content, (*path, field.name))


def _arrays(content: Object) -> Iterator[str]:
    """The fields that are there, empty, where other applications may leave them out."""
    pairs = zip(content.fields, lenient(content).fields, strict=True)
    return (
        field.name
        for field, other in pairs
        if isinstance(field.content, Array) and field.required and not other.required
    )
