"""Which rows the documents of a collection depend on, as ways from their root row: what is read to derive them again, and,
walked backwards, which documents a changed row makes differ.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design import Design
from nestling.ir.layout import Node, NodeKind, Role, Store, every_document
from nestling.ir.migration import Reach, Reaches
from nestling.ir.model import Model
from nestling.ir.primitives import Copy, Holder
from nestling.ir.rows import Path, down, up
from nestling.planner.upkeep.triggers import far, near

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
    wanted: dict[tuple[Path, bool], Wanted] = {}
    for each in found:
        at = (each.path, each.again)
        before = wanted.get(at, frozenset())
        wanted[at] = None if before is None or each.attributes is None else before | each.attributes
    return tuple(Reach(path, attributes, again) for (path, again), attributes in wanted.items())


def _of_root(design: Design, store: Store, root: Node) -> Iterator[Reach]:
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


def _node(model: Model, node: Node, path: Path) -> Iterator[Reach]:
    yield Reach(path)
    for reference in node.body.references:
        if reference.holder is Holder.PARENT:
            yield Reach((*path, down(model.relationship(reference.relationship))))
    for copy in node.body.copies:
        yield from _copy(model, copy, path)
    for computed in node.body.computed:
        wanted = frozenset(() if computed.attribute is None else (computed.attribute,))
        yield from _along(model, path, computed.path, wanted)
    for child in node.children:
        if node.kind is NodeKind.GROUP:
            yield from _node(model, child, path)
        else:
            assert child.embedding is not None
            yield from _node(model, child, (*path, down(model.relationship(child.embedding.relationship))))


def _copy(model: Model, copy: Copy, path: Path) -> Iterator[Reach]:
    names = {field.attribute for field in copy.attributes} | {order.attribute for order in copy.order}
    if copy.closure:
        hop = copy.path[0]
        linked = frozenset((*near(model, hop), *far(model, hop)))
        yield Reach((*path, hop), frozenset(names) | linked, again=True)
        return
    source = model.entity(copy.path[-1].target(model))
    wanted = None if copy.home else frozenset(names) | frozenset(source.key or source.attribute_names)
    yield from _along(model, path, copy.path, wanted)


def _along(model: Model, path: Path, way: Path, wanted: Wanted) -> Iterator[Reach]:
    """Every step of a way: of rows between only what links them matters."""
    for place, hop in enumerate(way, start=1):
        linked = frozenset(far(model, hop))
        if place < len(way):
            yield Reach((*path, *way[:place]), linked | frozenset(near(model, way[place])))
        else:
            yield Reach((*path, *way), None if wanted is None else linked | wanted)
