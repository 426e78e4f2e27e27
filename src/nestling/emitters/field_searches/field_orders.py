"""Finds sub-documents whose fields another design would write in another order.

MongoDB compares sub-documents including the order of their fields. So a query for a whole sub-document, above all for a whole
`_id`, matches only one order. The order of a document's own fields does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from nestling.emitters.content import Content, Object
from nestling.emitters.documents import documents
from nestling.emitters.field_searches.found_fields import (
    SearchExpression,
    SearchStage,
    alternatives,
    by_field,
    by_path,
    in_elements,
    one_path,
    union,
)
from nestling.ir.design import Design
from nestling.ir.found_field import FieldSteps
from nestling.ir.storage.layout import Role, StoredCollection

ID_FIELD = "_id"


def field_orders(old: Design, new: Design) -> Mapping[str, Sequence[SearchStage]]:
    """By collection of the old design, the stages that report (`by_path`) each such sub-document."""
    found = {}
    for store in old.stores:
        later = _later(store, new)
        paths = [*_below(documents(new, later), "$$ROOT", ())] if later is not None else []
        if paths:
            found[store.name] = _stages(paths)
    return found


def id_orders(design: Design) -> Mapping[str, Sequence[SearchStage]]:
    """By collection, the stages that report each compound `_id` whose fields are not in the design's order."""
    found = {}
    for store in design.stores:
        inside = by_field(documents(design, store)).get(ID_FIELD, ())
        if paths := [*_disordered(inside, f"${ID_FIELD}", (ID_FIELD,))]:
            found[store.name] = _stages(paths)
    return found


def _stages(paths: Sequence[SearchExpression]) -> tuple[SearchStage, ...]:
    return ({"$project": {"path": union(paths)}}, *by_path())


def _later(store: StoredCollection, new: Design) -> StoredCollection | None:
    """The successor of a collection: the one with its name, or else the one with the same rows."""
    named = next((each for each in new.stores if each.name == store.name), None)
    if named is not None or store.role is not Role.HOME:
        return named
    homes = (new.home_root(root.entity) for root in store.roots)
    return next((found[0] for found in homes if found is not None), None)


def _disordered(contents: Iterable[Content], value: str, path: FieldSteps) -> Iterator[SearchExpression]:
    """Sets of the paths of sub-documents in another order, in a value that is one of these contents."""
    kinds = [*alternatives(contents)]
    if objects := [each for each in kinds if isinstance(each, Object)]:
        here = _here(objects, path)
        inner = [*_below(objects, "$$object", path)]
        if here or inner:
            is_object = {"$eq": [{"$type": "$$object"}, "object"]}
            found = {"$cond": [is_object, union([*here, *inner]), []]}
            yield {"$let": {"vars": {"object": value}, "in": found}}
    yield from in_elements(kinds, value, path, _disordered)


def _below(objects: Iterable[Object], value: str, path: FieldSteps) -> Iterator[SearchExpression]:
    """The sub-documents inside a document."""
    for name, inside in by_field(objects).items():
        yield from _disordered(inside, f"{value}.{name}", (*path, name))


def _here(objects: Sequence[Object], path: FieldSteps) -> list[SearchExpression]:
    """The path itself, if its fields are in none of these orders."""
    orders = [[field.name for field in each.fields] for each in objects]
    if not any(len(order) > 1 for order in orders):
        return []
    names = {"$map": {"input": {"$objectToArray": "$$object"}, "in": "$$this.k"}}
    is_lost = {"$and": [_differs(order) for order in orders]}
    return [{"$let": {"vars": {"names": names}, "in": {"$cond": [is_lost, one_path(path), []]}}}]


def _differs(order: Sequence[str]) -> SearchExpression:
    """Whether the fields that are in both have another order than this."""
    wanted = {"$literal": [*order]}
    here = {"$filter": {"input": "$$names", "cond": {"$in": ["$$this", wanted]}}}
    there = {"$filter": {"input": wanted, "cond": {"$in": ["$$this", "$$names"]}}}
    return {"$ne": [here, there]}
