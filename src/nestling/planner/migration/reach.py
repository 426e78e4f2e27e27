"""Which rows the documents of a collection depend on, as ways from their root row: what is read to derive them again, and,
walked backwards, which documents a changed row makes differ.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design import Design
from nestling.ir.migration import Reach, Reaches
from nestling.ir.model import Model
from nestling.ir.primitives import Copy, Holder
from nestling.ir.rows import RowPath, down, reversed_path, up
from nestling.ir.storage.layout import Node, NodeKind, Role, StoredCollection, every_document
from nestling.ir.upkeep import Derived
from nestling.planner.upkeep import triggers_of

Wanted = frozenset[str] | None


def reaches(design: Design) -> Reaches:
    """The ways from every root of every collection that holds documents of its own, each once."""
    return {
        (store.name, root.entity): _merged(_of_root(design, store, root))
        for store in design.stores
        if store.role in (Role.HOME, Role.ORPHANS)
        for root in store.roots
    }


def _merged(found: Iterator[Reach]) -> tuple[Reach, ...]:
    """One reach for each way, of all attributes somebody wants."""
    wanted: dict[tuple[RowPath, bool], Wanted] = {}
    for each in found:
        at = (each.path, each.again)
        before = wanted.get(at, frozenset())
        wanted[at] = None if before is None or each.attributes is None else before | each.attributes
    return tuple(Reach(path, attributes, again) for (path, again), attributes in wanted.items())


def _of_root(design: Design, store: StoredCollection, root: Node) -> Iterator[Reach]:
    model = design.model
    yield from _node(model, root, ())
    if store.role is not Role.ORPHANS:
        return
    if store.embedding is not None:
        link = model.relationship(store.embedding.relationship)
        yield Reach((up(link),), frozenset(link.parent_attributes))
        return
    copy = next(c for body in every_document(design.collections) for c in body.copies if c.orphans == store.name)
    link = model.relationship(copy.path[0].relationship)
    yield Reach((down(link),), frozenset(link.child_attributes))


def _node(model: Model, node: Node, path: RowPath) -> Iterator[Reach]:
    yield Reach(path)
    ids = (reference for reference in node.body.references if reference.holder is Holder.PARENT)
    derived: tuple[Derived, ...] = (*ids, *node.body.copies, *node.body.computed)
    for what in derived:
        again = isinstance(what, Copy) and what.closure
        for trigger in triggers_of(model, what):
            if trigger.back:
                yield Reach((*path, *reversed_path(trigger.back)), trigger.attributes, again)
    for child in node.children:
        if node.kind is NodeKind.GROUP:
            yield from _node(model, child, path)
        else:
            assert child.embedding is not None
            yield from _node(model, child, (*path, down(model.relationship(child.embedding.relationship))))
