"""Whether a path of a collection's documents means the same in two designs, so that an index on it can stay."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from nestling.ir.design import Design
from nestling.ir.invariants import paths_in
from nestling.ir.storage.array_paths import array_paths
from nestling.ir.storage.layout import Node, Role, StoredCollection
from nestling.ir.storage.names import join, overlap
from nestling.ir.storage.stored_names import stored_names


def same_paths(old: Design, new: Design, collection: str, paths: Iterable[str]) -> bool:
    """Whether both designs have the collection for the same rows, with the same at each of these paths."""
    stores = [next((store for store in each.stores if store.name == collection), None) for each in (old, new)]
    before, after = stores
    if before is None or after is None or _rows(before) != _rows(after):
        return False
    return all(_meaning(old, before, path) == _meaning(new, after, path) for path in paths)


def _rows(store: StoredCollection) -> tuple[Hashable, ...]:
    """Which rows a collection has documents of."""
    apart = tuple(split.rows for split in store.collection.splits if split.rows is not None)
    kinds = tuple((root.kind, root.entity) for root in store.roots)
    return (store.role is Role.HOME, kinds, apart)


def _meaning(design: Design, store: StoredCollection, path: str) -> frozenset[Hashable]:
    """What lies at a path, inside it and around it."""
    found: list[Hashable] = [each for each in stored_names(design.model, store) if overlap(each[0], path)]
    found += [("array", each) for each in array_paths(store, design.model) if overlap(each, path)]
    found += [("path", each) for each in paths_in(store) if overlap(each, path)]
    found += [each for each in store.collection.constants if overlap(each[0], path)]
    variant = store.collection.variant
    if variant is not None and overlap(variant.discriminator, path):
        members = tuple((each.value, each.body.entity) for each in variant.members)
        found.append(("variant", variant.value, variant.subtypes, members))
    for root in store.roots:
        found += [("rows", at, form) for at, form in _rows_inside(root, "") if at and overlap(at, path)]
    return frozenset(found)


def _rows_inside(node: Node, prefix: str) -> Iterator[tuple[str, Hashable]]:
    """Rows, copies and computed values in a document, with what decides which of them are there."""
    at = join(prefix, node.field)
    overflow = node.embedding.overflow if node.embedding is not None else None
    yield at, (node.entity, node.form, overflow)
    yield from ((join(at, copy.name), (copy.form, copy.path, copy.limit)) for copy in node.body.copies)
    yield from (
        (join(at, each.field), (each.function, each.path, each.attribute, each.step)) for each in node.body.computed
    )
    for child in node.children:
        yield from _rows_inside(child, at)
