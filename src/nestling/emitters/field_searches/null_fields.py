"""The fields of documents that hold null where the design says NULL by a field that is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from nestling.emitters.content import Array, Content, Object, lenient
from nestling.emitters.field_searches.found_fields import (
    SearchExpression,
    SearchStage,
    alternatives,
    by_field,
    in_elements,
    in_refused,
    is_whole,
    one_path,
)
from nestling.ir.design import Design
from nestling.ir.found_field import FieldSteps


def null_fields(design: Design) -> Mapping[str, Sequence[SearchStage]]:
    """By collection, the stages that report (`by_path`) each field that is null and may be missing."""
    return {store.name: tuple(in_refused(design, store, _nulls)) for store in design.stores}


def _nulls(contents: Iterable[Content], value: str, path: FieldSteps) -> Iterator[SearchExpression]:
    if path and not any(map(is_whole, alternatives(contents))):
        yield {"$cond": [{"$eq": [{"$type": value}, "null"]}, one_path(path), []]}
    yield from _inside(contents, value, path)


def _inside(contents: Iterable[Content], value: str, path: FieldSteps) -> Iterator[SearchExpression]:
    """The search inside; not in values stored whole and arrays with holes, whose nulls are their own, nor in required fields."""
    kinds = [*alternatives(contents)]
    if any(map(is_whole, kinds)):
        return
    required = {
        field.name for each in kinds if isinstance(each, Object) for field in lenient(each).fields if field.required
    }
    for name, inside in by_field(kinds).items():
        found = _inside if name in required else _nulls
        yield from found(inside, f"{value}.{name}", (*path, name))
    arrays = [each for each in kinds if isinstance(each, Array)]
    yield from in_elements(arrays, value, path, _inside if any(each.holes for each in arrays) else _nulls)
