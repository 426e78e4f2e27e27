"""The order in which documents have their fields, where another design has the same ones in its own."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from typing import TypeVar

from nestling.ir.design import Design
from nestling.ir.primitives import Collection, Copy, Document, Embedding, Form

_Item = TypeVar("_Item")


def unless_reordered(design: Design, other: Design) -> Design:
    """The design, with the other one's collections where its own differ from them in nothing but the order of fields."""
    known = {each.name: each for each in other.collections}

    def chosen(collection: Collection) -> Collection:
        there = known.get(collection.name)
        return there if there is not None and _collection_in_order_of(collection, there) == there else collection

    return replace(design, collections=tuple(map(chosen, design.collections)))


def _collection_in_order_of(collection: Collection, other: Collection) -> Collection:
    """The collection with everything the other one has too in the other's order, at every level of its documents."""
    return replace(
        collection,
        body=_every_level(collection.body, other.body),
        splits=_in_order(collection.splits, other.splits, lambda each: each.collection),
    )


def in_order_of(body: Document, other: Document) -> Document:
    """The document with everything the other one has too in the other's order; what is embedded in it stays as it is."""
    copies = {each.name: each for each in other.copies}
    listed = {frozenset(each.attributes): each.attributes for each in other.pairs}
    pairs = (replace(each, attributes=listed.get(frozenset(each.attributes), each.attributes)) for each in body.pairs)
    return replace(
        body,
        fields=_in_order(body.fields, other.fields, lambda each: each.attribute),
        pairs=_in_order(pairs, other.pairs, lambda each: each.field),
        embeddings=_in_order(body.embeddings, other.embeddings, lambda each: each.relationship),
        references=_in_order(body.references, other.references, lambda each: (each.relationship, each.holder)),
        copies=_in_order(
            (_copy(each, copies.get(each.name, each)) for each in body.copies), other.copies, lambda each: each.name
        ),
        computed=_in_order(body.computed, other.computed, lambda each: each.field),
    )


def _copy(copy: Copy, other: Copy) -> Copy:
    """A copy whose values are told apart by the names of their fields."""
    if copy.form not in (Form.OBJECT, Form.ARRAY, Form.INLINE):
        return copy
    return replace(copy, attributes=_in_order(copy.attributes, other.attributes, lambda each: each.attribute))


def _every_level(body: Document, other: Document) -> Document:
    known = {each.relationship: each for each in other.embeddings}

    def inside(embedding: Embedding) -> Embedding:
        there = known.get(embedding.relationship)
        return embedding if there is None else replace(embedding, body=_every_level(embedding.body, there.body))

    return in_order_of(replace(body, embeddings=tuple(map(inside, body.embeddings))), other)


def _in_order(items: Iterable[_Item], others: Iterable[_Item], key: Callable[[_Item], Hashable]) -> tuple[_Item, ...]:
    """The items in the order of the others; those that are not among them come last, in their own order."""
    places = {key(each): place for place, each in enumerate(others)}
    return tuple(sorted(items, key=lambda each: places.get(key(each), len(places))))
