"""Finds fields of another kind of row than the document's own kind: reading the rows ignores them.

A collection may hold several kinds of one entity, whose own fields are next to each other, with a discriminator.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nestling.emitters.field_searches.found_fields import SearchExpression, one_path, union
from nestling.ir.found_field import steps_of
from nestling.ir.literals import shell
from nestling.ir.storage.layout import Node, StoredCollection


@dataclass(frozen=True, slots=True)
class OtherKinds:
    """The documents with such fields, or with an unknown kind, and the paths of the fields."""

    matching: Mapping[str, Any]
    paths: SearchExpression


def other_kinds(store: StoredCollection) -> OtherKinds | None:
    """The search for them; None if the collection has no such kinds."""
    variant = store.collection.variant
    if variant is None or not _has_kinds(store):
        return None
    told = variant.discriminator
    own = (variant.value,) if variant.value is not None else ()
    every = [*dict.fromkeys((*own, *(value for _, value in variant.subtypes)))]
    matching: list[Mapping[str, Any]] = [{told: {"$elemMatch": {"$nin": every}}}, {told: {"$nin": [*every, None, []]}}]
    one = {"$cond": [{"$eq": [{"$ifNull": [f"${told}", None]}, None]}, [], [f"${told}"]]}
    said = {"$cond": [{"$isArray": [f"${told}"]}, f"${told}", one]}
    paths: list[SearchExpression] = [
        {"$cond": [{"$setIsSubset": [said, {"$literal": every}]}, [], one_path(steps_of(told))]}
    ]
    for field, values in fields_of_kinds(store).items():
        matching.append({field: {"$ne": None}, told: {"$nin": [*values]}})
        is_there = {"$ne": [{"$ifNull": [f"${field}", None]}, None]}
        is_other = {"$eq": [{"$setIntersection": [said, {"$literal": [*values]}]}, []]}
        where = f"{told} is not {' or '.join(map(shell, values))}"
        paths.append({"$cond": [{"$and": [is_there, is_other]}, one_path((field,), where), []]})
    return OtherKinds({"$or": matching}, union(paths))


def fields_of_kinds(store: StoredCollection) -> Mapping[str, tuple[str, ...]]:
    """The fields that only some kinds of document have, each with the discriminator values of these kinds."""
    variant = store.collection.variant
    if variant is None or not _has_kinds(store):
        return {}
    return {field: tuple(values) for field, values in _fields(store.roots[0], dict(variant.subtypes)).items()}


def _has_kinds(store: StoredCollection) -> bool:
    variant = store.collection.variant
    return variant is not None and bool(variant.subtypes) and len(store.roots) == 1


def _fields(root: Node, kinds: Mapping[str, str]) -> Mapping[str, list[str]]:
    """The fields that only some kinds have, each with the values of these."""
    common, found = frozenset(_names(root)), defaultdict[str, list[str]](list)
    for child in root.children:
        value = kinds.get(child.embedding.relationship) if child.embedding is not None else None
        if value is not None:
            for name in dict.fromkeys(_names(child)):
                found[name].append(value)
    return {name: values for name, values in found.items() if name not in common}


def _names(node: Node) -> Iterator[str]:
    """The fields at the level of a node that are its own."""
    yield from (field.path.partition(".")[0] for field in node.stored)
    yield from (child.field.partition(".")[0] for child in node.children if child.field)
    yield from (reference.field.partition(".")[0] for reference in node.body.references if reference.field)
