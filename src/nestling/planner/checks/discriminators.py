"""Discriminators, compared with other signs of a document's kind: its `_id`, or the fields of a subtype.

If a subtype has no field that is always present, only the discriminator shows that the row exists, and is believed.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design import Design
from nestling.ir.drift import Check, ComparedValue, DriftKind
from nestling.ir.paths.access_path import (
    CollectionScan,
    Comparator,
    DocumentComparison,
    FieldPath,
    FilterDocuments,
    FixedValue,
    Holds,
    IfMissing,
    Mark,
    Marks,
    PathExpression,
    Step,
)
from nestling.ir.primitives import Variant
from nestling.ir.storage.layout import Node, Place, Role, StoredCollection
from nestling.ir.storage.names import join
from nestling.planner.checks.comparison import FOUND, compared_read, found_read, mending_update


def discriminator_checks(design: Design) -> Iterator[Check]:
    """A check for every kind of root in every collection with a discriminator."""
    for store in design.stores:
        variant = store.collection.variant
        if variant is not None and store.role in (Role.HOME, Role.ARCHIVE):
            for root in store.roots:
                expected = _expected(design, variant, root)
                if expected is not None:
                    yield _check(store, variant, root, expected, _documents(store, variant, root))
            if variant.members and all(root.presence is not None for root in store.roots):
                yield _unknown(store, variant)


def _unknown(store: StoredCollection, variant: Variant) -> Check:
    """A check for documents whose `_id` has an unknown kind, which no statement reads."""
    named = join("_id", variant.discriminator)
    step: Step = CollectionScan(store.name)
    told = IfMissing(FieldPath(named), FixedValue(None))
    for root in store.roots:
        assert root.presence is not None
        kind = FixedValue(root.presence.value if _is_named(store, root) else None)
        step = FilterDocuments(step, DocumentComparison(told, Comparator.NOT_EQUAL, kind))
    kinds = ", ".join(f"`{root.presence.value}`" for root in store.roots if root.presence is not None)
    return Check(
        f"{store.name}.{named}",
        DriftKind.DISCRIMINATOR,
        store.name,
        found_read(step, Place(store, store.roots[:1]), (), FieldPath(named)),
        (ComparedValue(named, "", FOUND),),
        next_move=f"it stands for no row, as the kinds in `{store.name}` are {kinds}: delete it, after inserting its row with a"
        " statement if the row is needed",
        is_unread=True,
    )


def _documents(store: StoredCollection, variant: Variant, root: Node) -> Step:
    """The documents of a kind, by their `_id`, which begins with the discriminator if it consists of a key."""
    step: Step = CollectionScan(store.name)
    if not variant.members or root.presence is None:
        return step
    named = join("_id", variant.discriminator)
    if _is_named(store, root):
        return FilterDocuments(step, Holds(named, root.presence.value))
    return FilterDocuments(
        step, DocumentComparison(IfMissing(FieldPath(named), FixedValue(None)), Comparator.EQUAL, FixedValue(None))
    )


def _is_named(store: StoredCollection, root: Node) -> bool:
    """Whether the `_id` of such documents consists of a key, and begins with the discriminator."""
    return bool(store.collection.id) or root.body != store.collection.body


def _expected(design: Design, variant: Variant, root: Node) -> PathExpression | None:
    inline = [child for child in root.children if child.presence is not None]
    own = (Mark(root.presence.value),) if root.presence is not None else ()
    if inline:
        return Marks((*own, *(_mark(design, root, child) for child in inline)), variant.discriminator)
    return FixedValue(root.presence.value) if root.presence is not None else None


def _mark(design: Design, root: Node, child: Node) -> Mark:
    """A subtype exists if its fields do; without a field that is always present there is no other sign."""
    assert child.presence is not None
    shared = set(_paths(root, without=child))
    entity = design.model.entity(child.entity)
    own = [field for field in child.stored if field.path not in shared]
    is_certain = any(not entity.attribute(field.attribute).nullable for field in own)
    return Mark(child.presence.value, tuple(field.path for field in own), is_certain=is_certain)


def _paths(node: Node, without: Node) -> Iterator[str]:
    """The fields of documents at a node and at inline nodes inside, except for one."""
    yield from (field.path for field in node.stored)
    yield from (pairs.field for pairs in node.body.pairs)
    for child in node.children:
        if child is not without:
            yield from (child.field,) if child.field else _paths(child, without)


def _check(store: StoredCollection, variant: Variant, root: Node, expected: PathExpression, step: Step) -> Check:
    place, field = Place(store, (root,)), variant.discriminator
    read, values = compared_read(step, place, (), ((field, expected, FieldPath(field)),))
    kind = f"({root.entity})" if variant.members else ""
    return Check(
        f"{store.name}{kind}.{field}",
        DriftKind.DISCRIMINATOR,
        store.name,
        read,
        values,
        repair=mending_update(place, (), values),
    )
