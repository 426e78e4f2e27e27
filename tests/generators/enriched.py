"""Designs with many derived things: copies, computed values and closures of every kind added to a design's documents."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from hypothesis import strategies as st

from nestling.common.errors import DesignError
from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.invariants import paths_in
from nestling.ir.model import Entity, Model
from nestling.ir.primitives import (
    Collection,
    CollectionKind,
    Computed,
    Copy,
    Document,
    Field,
    Form,
    Index,
    Order,
)
from nestling.ir.rows import AggregateKind, Hop, RowPath
from nestling.ir.storage.layout import nested_documents
from nestling.ir.types import TypeName

_NUMBERS = (TypeName.INTEGER,)
_FORMS = (Form.ARRAY, Form.ARRAY, Form.SCALARS, Form.OBJECT, Form.INLINE)


@st.composite
def enriched(draw: st.DrawFn, design: Design, *, most: int = 5, sums: bool = False) -> Design:
    """The design with up to so many derived things more, those it cannot have left out; `sums`: sums and averages, too."""
    for number in range(draw(st.integers(1, most))):
        bodies = [body for collection in design.collections for body in _bodies(collection)]
        body = draw(st.sampled_from(bodies))
        path = _path(draw, design.model, body.entity)
        if not path:
            continue
        made = _with_more(draw, design.model, body, path, number, sums=sums)
        try:
            collections = tuple(_replaced(collection, body, made) for collection in design.collections)
            design = Design(design.model, collections, design.indexes)
        except DesignError:
            continue
    return design


@st.composite
def indexed(draw: st.DrawFn, design: Design, *, most: int = 3) -> Design:
    """The design with up to so many indexes of one field, some of which find texts whatever their case."""
    for _ in range(draw(st.integers(0, most))):
        store = draw(st.sampled_from(design.stores))
        paths = sorted({*paths_in(store)} - {"_id"})
        index = Index(store.name, ((draw(st.sampled_from(paths)), draw(st.sampled_from((1, -1)))),)) if paths else None
        if index is not None and index not in design.indexes and store.options.kind is not CollectionKind.TIME_SERIES:
            design = Design(design.model, design.collections, (*design.indexes, index))
            with suppress(DesignError):
                other = replace(index, any_case=True)
                design = Design(design.model, design.collections, (*design.indexes, other))
    return design


def _bodies(collection: Collection) -> list[Document]:
    members = collection.variant.members if collection.variant is not None else ()
    roots = (collection.body, *(member.body for member in members))
    return [body for root in roots for body in nested_documents(root)]


def _replaced(collection: Collection, old: Document, new: Document) -> Collection:
    variant = collection.variant
    if variant is not None:
        members = tuple(replace(member, body=_changed(member.body, old, new)) for member in variant.members)
        variant = replace(variant, members=members)
    return replace(collection, body=_changed(collection.body, old, new), variant=variant)


def _changed(body: Document, old: Document, new: Document) -> Document:
    if body == old:
        return new
    embeddings = tuple(replace(each, body=_changed(each.body, old, new)) for each in body.embeddings)
    return replace(body, embeddings=embeddings)


def _path(draw: st.DrawFn, model: Model, at: str) -> RowPath:
    hops: list[Hop] = []
    for _ in range(draw(st.sampled_from((1, 1, 1, 2, 2, 3)))):
        choices = [Hop(link.name, up=True) for link in model.parents_of(at)]
        choices += [Hop(link.name, up=False) for link in model.children_of(at)]
        if choices:
            hops.append(draw(st.sampled_from(choices)))
            at = hops[-1].target(model)
    return tuple(hops)


def _with_more(draw: st.DrawFn, model: Model, body: Document, path: RowPath, number: int, *, sums: bool) -> Document:
    source = model.entity(path[-1].target(model))
    if draw(st.integers(0, 2)) == 0:
        return replace(body, computed=(*body.computed, _computed(draw, source, path, number, sums=sums)))
    return replace(body, copies=(*body.copies, _copy(draw, model, source, path, number)))


def _computed(draw: st.DrawFn, source: Entity, path: RowPath, number: int, *, sums: bool) -> Computed:
    name = f"more computed {number}"
    numbers = [a.name for a in source.attributes if a.type.name in _NUMBERS]
    stamp = draw(st.sampled_from((None, None, f"computed at {number}")))
    if not numbers or draw(st.booleans()):
        step = draw(st.sampled_from((1, 1, 2)))
        return Computed(name, path, AggregateKind.COUNT, TRANSACTION, step=step, stamp=stamp)
    known = (AggregateKind.COUNT, AggregateKind.MIN, AggregateKind.MAX)
    function = draw(st.sampled_from((*known, AggregateKind.SUM, AggregateKind.AVG) if sums else known))
    return Computed(name, path, function, TRANSACTION, draw(st.sampled_from(numbers)), stamp=stamp)


def _copy(draw: st.DrawFn, model: Model, source: Entity, path: RowPath, number: int) -> Copy:
    first = path[0]
    closure = len(path) == 1 and first.up and model.relationship(first.relationship).is_self and draw(st.booleans())
    form = draw(st.sampled_from((Form.ARRAY, Form.SCALARS, Form.PATH) if closure else _FORMS))
    most = 1 if form in (Form.SCALARS, Form.PATH) else 3
    names = draw(st.lists(st.sampled_from(source.attribute_names), min_size=1, max_size=most, unique=True))
    if form is Form.ARRAY and draw(st.booleans()):
        names = list(dict.fromkeys((*names, *source.key)))
    paths = ("more {} a", "more {}.b", "more {}.c", "more {} d", "more {} e", "more {} f", "more {} g")
    fields = tuple(Field(name, at.format(number)) for name, at in zip(names, paths, strict=False))
    copy = Copy(f"more copy {number}", path, fields, form, TRANSACTION, closure=closure)
    if closure or draw(st.booleans()):
        return copy
    order = (Order(names[0], draw(st.booleans())),)
    limit = draw(st.integers(1, 3)) if form.to_many else 1
    return replace(copy, order=order, limit=limit)
