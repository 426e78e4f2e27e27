"""Finds empty sub-documents of mere structure: no row needs them, and rewritten documents lack them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from nestling.emitters.content import Content, Object, lines
from nestling.emitters.documents import documents
from nestling.emitters.field_searches.found_fields import (
    SearchExpression,
    SearchStage,
    alternatives,
    by_field,
    in_elements,
    in_matching,
    one_path,
)
from nestling.ir.design import Design
from nestling.ir.found_field import FieldSteps
from nestling.ir.storage.layout import StoredCollection


def empty_objects(design: Design) -> Mapping[str, Sequence[SearchStage]]:
    """By collection, the stages that report (`by_path`) each sub-document that is empty somewhere."""
    found = {store.name: [*dict.fromkeys(_structure(design, store))] for store in design.stores}
    return {
        store.name: tuple(in_matching({"$or": [{path: {}} for path in found[store.name]]}, design, store, _empty))
        for store in design.stores
        if found[store.name]
    }


def _structure(design: Design, store: StoredCollection) -> Iterator[str]:
    """The paths of sub-documents that are no rows, as queries write them."""
    for kind in documents(design, store):
        for line in lines(kind):
            if any(map(_is_structure, alternatives([line.field.content]))) and not line.field.derived:
                yield line.path.replace("[]", "")


def _is_structure(content: Content) -> bool:
    return isinstance(content, Object) and not content.rows_of and not content.exact


def _empty(contents: Iterable[Content], value: str, path: FieldSteps) -> Iterator[SearchExpression]:
    kinds = [*alternatives(contents)]
    derived = {field.name for each in kinds if isinstance(each, Object) for field in each.fields if field.derived}
    for name, inside in by_field(kinds).items():
        if name in derived:
            continue
        if any(map(_is_structure, alternatives(inside))):
            is_empty = {"$eq": [f"{value}.{name}", {"$literal": {}}]}
            yield {"$cond": [is_empty, one_path((*path, name)), []]}
        yield from _empty(inside, f"{value}.{name}", (*path, name))
    yield from in_elements(kinds, value, path, _empty)
