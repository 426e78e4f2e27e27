"""Where the documents of a collection may hold arrays."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.model import Model
from nestling.ir.primitives import Holder
from nestling.ir.storage.layout import Node, NodeKind, StoredCollection
from nestling.ir.storage.names import join
from nestling.ir.types import MAY_BE_ARRAYS


def array_paths(store: StoredCollection, model: Model) -> Iterator[str]:
    """The dotted paths of rows, ids, copies, pairs and values that may be arrays."""
    for root in store.roots:
        yield from _below(root, "", model)


def _below(node: Node, prefix: str, model: Model) -> Iterator[str]:
    at = join(prefix, node.field)
    if node.kind is not NodeKind.GROUP and node.form.to_many:
        yield at
    entity = model.entity(node.entity)
    yield from (
        join(at, each.path) for each in node.stored if entity.attribute(each.attribute).type.name in MAY_BE_ARRAYS
    )
    yield from (join(at, each.field) for each in node.body.references if each.holder is Holder.PARENT)
    yield from (join(at, each.name) for each in node.body.copies if each.form.to_many)
    yield from (join(at, each.field) for each in node.body.pairs)
    for child in node.children:
        yield from _below(child, at, model)
