"""The structures of a design in short: its collections, and what is inside, copied, computed or in buckets in each."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.primitives import Bucket, CollectionKind
from nestling.ir.storage.layout import Role, StoredCollection


def structures(design: Design) -> tuple[str, ...]:
    """A few words for each collection, in the design's order."""
    return tuple(_words(store, design) for store in design.stores)


def _words(store: StoredCollection, design: Design) -> str:
    told = "; ".join(_parts(store, design))
    return f"{store.name} ({told})" if told else store.name


def _parts(store: StoredCollection, design: Design) -> Iterator[str]:
    if store.role is not Role.HOME:
        yield str(store.role)
        return
    if store.collection.bucket is not None:
        yield _bucket(store.collection.bucket)
    if store.options.kind is not CollectionKind.PLAIN:
        yield str(store.options.kind)
    roots = {root.entity for root in store.roots}
    inside = dict.fromkeys(node.entity for node in store.nodes() if node.entity not in roots)
    if inside:
        yield f"with {', '.join(inside)} inside"
    copied = dict.fromkeys(_copied(store, design.model))
    if copied:
        yield f"copies {', '.join(copied)}"
    computed = [each.field for node in store.nodes() for each in node.body.computed]
    if computed:
        yield f"computes {', '.join(dict.fromkeys(computed))}"


def _bucket(bucket: Bucket) -> str:
    by = ", ".join(bucket.by)
    if bucket.window is not None:
        return f"buckets by {by}, one for each {bucket.window.unit} of {bucket.window.attribute}"
    return f"buckets by {by}, {bucket.limit:,} in each"


def _copied(store: StoredCollection, model: Model) -> Iterator[str]:
    for node in store.nodes():
        for copy in node.body.copies:
            source = copy.path[-1].target(model)
            yield from (f"{source}.{each.attribute}" for each in copy.attributes)
