"""Finds arrays that another design would write in another order, with one pass over each collection.

Rows have no order of their own. An array's order is kept only if values of its elements determine it: those that its embedding
is ordered by, in the old or the new design, or else their key. Everything that loading and statements write is in that order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from nestling.emitters.field_searches.found_fields import SearchExpression, SearchStage, by_path, one_path
from nestling.ir.design import Design
from nestling.ir.found_field import FieldSteps, steps_of
from nestling.ir.primitives import Embedding, Holder, Order
from nestling.ir.storage.array_order import array_order, ordered_by
from nestling.ir.storage.layout import Node, StoredCollection

Ways: TypeAlias = tuple[tuple[str, int], ...]


def reordered(old: Design, new: Design) -> Mapping[str, Sequence[SearchStage]]:
    """By collection with arrays, the stages that report (`by_path`) each array whose order would be lost."""
    arrays = {store.name: tuple(_arrays(old, new, store)) for store in old.stores}
    return {name: tuple(_stages(found)) for name, found in arrays.items() if found}


def _stages(arrays: Sequence[tuple[FieldSteps, SearchExpression]]) -> Iterator[SearchStage]:
    paths = [{"$cond": [is_lost, one_path(path), []]} for path, is_lost in arrays]
    yield {"$project": {"path": {"$setUnion": paths}}}
    yield from by_path()


def _arrays(old: Design, new: Design, store: StoredCollection) -> Iterator[tuple[FieldSteps, SearchExpression]]:
    """The path of every array in a collection's documents, with the condition that its order would be lost."""
    later = {
        node.embedding.relationship: _orders(node.embedding)
        for each in new.stores
        for node in each.nodes()
        if node.embedding is not None and node.form.to_many
    }
    for root in store.roots:
        yield from _below(root, "$", (), old, later)


def _below(
    node: Node, value: str, path: FieldSteps, old: Design, later: Mapping[str, tuple[Order, ...]]
) -> Iterator[tuple[FieldSteps, SearchExpression]]:
    for reference in node.body.references:
        if reference.holder is Holder.PARENT:
            yield (*path, *steps_of(reference.field)), _out_of_order(_elements(_at(value, reference.field)), (("", 1),))
    for child in node.children:
        inside, at = _at(value, child.field), (*path, *(steps_of(child.field) if child.field else ()))
        if not child.form.to_many:
            yield from _below(child, inside, at, old, later)
            continue
        elements = _elements(inside)
        if child.embedding is not None and child.embedding.slots is None:
            entity = old.model.entity(child.entity)
            ways = {array_order(child, entity)}
            if child.embedding.relationship in later:
                ways.add(ordered_by(later[child.embedding.relationship], child, entity))
            yield at, {"$and": [_out_of_order(elements, each) for each in sorted(ways)]}
        name = f"e{at.count(None)}"
        for deeper, is_lost in _below(child, f"$${name}", (*at, None), old, later):
            yield deeper, {"$anyElementTrue": [{"$map": {"input": elements, "as": name, "in": is_lost}}]}


def _orders(embedding: Embedding) -> tuple[Order, ...]:
    return (Order(embedding.slots.attribute),) if embedding.slots is not None else embedding.order


def _at(value: str, field: str) -> str:
    if not field:
        return value
    return f"${field}" if value == "$" else f"{value}.{field}"


def _elements(value: str) -> SearchExpression:
    return {"$cond": [{"$isArray": [value]}, value, []]}


def _out_of_order(elements: SearchExpression, ways: Ways) -> SearchExpression:
    """Whether any element precedes one that it should follow."""
    places = {"$range": [1, {"$size": "$$elements"}]}
    pair = {
        "one": {"$arrayElemAt": ["$$elements", {"$subtract": ["$$at", 1]}]},
        "next": {"$arrayElemAt": ["$$elements", "$$at"]},
    }
    is_after = {"$let": {"vars": pair, "in": _is_after(ways)}} if ways else True
    found = {"$anyElementTrue": [{"$map": {"input": places, "as": "at", "in": is_after}}]}
    return {"$let": {"vars": {"elements": elements}, "in": found}}


def _is_after(ways: Ways) -> SearchExpression:
    """Whether one element would come after the next: by the first way in which they differ."""
    (path, direction), others = ways[0], ways[1:]
    one, following = ({"$ifNull": [_at(each, path), None]} for each in ("$$one", "$$next"))
    first = {"$gt" if direction > 0 else "$lt": [one, following]}
    return {"$or": [first, {"$and": [{"$eq": [one, following]}, _is_after(others)]}]} if others else first
