"""The parts of a body, level by level: each opens its own stream, ordered by the keys of the rows above it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.executors.load.body import Body, body_columns, element_code, pairs_part
from nestling.executors.load.computed import computed_parts
from nestling.executors.load.copies import copy_part
from nestling.executors.load.document_code import DocumentPart, PartKind
from nestling.executors.load.embedded import ChildRows, elements_in_slots, first_elements, one, sorted_elements, sorter
from nestling.executors.load.level import RowLayout, StreamLevel, own_columns, total_order
from nestling.executors.load.listed import listed_part
from nestling.executors.load.merge import Merge
from nestling.executors.load.orphans import inexact
from nestling.executors.load.pages import page_writer
from nestling.ir.model import Relationship
from nestling.ir.primitives import Document, Embedding, Form, Holder
from nestling.ir.rows import RowColumn, up
from nestling.ir.storage.layout import Node
from nestling.ir.types import INTEGER


def body_of(merge: Merge, level: StreamLevel, body: Document, children: tuple[Node, ...], layout: RowLayout) -> Body:
    """Open the streams below the rows of a body."""
    return Body(level, layout, tuple(_parts(merge, level, body, children, layout)))


def _parts(
    merge: Merge, level: StreamLevel, body: Document, children: tuple[Node, ...], layout: RowLayout
) -> Iterator[DocumentPart]:
    for pairs in body.pairs:
        yield pairs_part(merge, layout, level.entity, pairs)
    for reference in body.references:
        if reference.holder is Holder.PARENT:
            yield listed_part(merge, level, reference)
    for copy in body.copies:
        yield copy_part(merge, level, layout, copy)
    yield from computed_parts(merge, level, body.computed)
    for child in children:
        yield _embedded(merge, level, child)


def _embedded(merge: Merge, level: StreamLevel, node: Node) -> DocumentPart:
    """The array or sub-document of a node's rows."""
    embedding = node.embedding
    assert embedding is not None
    link = merge.model.relationship(embedding.relationship)
    entity = merge.model.entity(link.child)
    below = level.seen_from(link.child, (up(link),), own_columns(total_order(entity)))
    parents: tuple[RowColumn, ...] = ()
    if direct := _is_direct(merge, link, embedding):
        below = _through_key(below, link)
    else:
        parents = tuple(RowColumn(name, (up(link),)) for name in link.parent_attributes)
    stream, layout = merge.read(below, (*body_columns(merge, node.body), *parents))
    body = body_of(merge, below, node.body, node.children, layout)
    code = element_code(merge, body, node)
    if not direct:
        held = zip(link.child_attributes, parents, strict=True)
        places = [(layout[RowColumn(name)], layout[parent]) for name, parent in held]
        code.guard(code.exact(places), inexact(merge, body, embedding, layout))
    return _part(merge, node, embedding, ChildRows(merge, entity, stream, len(level.identity), layout, code))


def _is_direct(merge: Merge, link: Relationship, embedding: Embedding) -> bool:
    """Whether the foreign key is as good as the parent's key: whole numbers, and no row without a parent (checked before)."""
    parent, child = merge.model.entity(link.parent), merge.model.entity(link.child)
    kinds = [parent.attribute(name).type for name in link.parent_attributes]
    kinds += [child.attribute(name).type for name in link.child_attributes]
    return embedding.orphans is None and all(kind == INTEGER for kind in kinds)


def _through_key(below: StreamLevel, link: Relationship) -> StreamLevel:
    """The level with the parent's key read from the foreign key, without a join if nothing else is in the prefix."""
    held = {
        RowColumn(a, (up(link),)): RowColumn(b)
        for a, b in zip(link.parent_attributes, link.child_attributes, strict=True)
    }
    prefix = tuple(held.get(column, column) for column in below.prefix)
    is_whole = not any(column.path for column in prefix)
    own = tuple(column for column in below.own if column not in prefix)
    return replace(below, prefix=prefix, own=own, inner=() if is_whole else below.inner)


def _part(merge: Merge, node: Node, embedding: Embedding, rows: ChildRows) -> DocumentPart:
    presence = node.presence.value if node.presence is not None else None
    if not node.form.to_many:
        kind = PartKind.SPREAD if node.form is Form.INLINE else PartKind.VALUE
        return DocumentPart(kind, node.field, one(rows), presence=presence)
    if embedding.slots is not None:
        return DocumentPart(PartKind.ALWAYS, node.field, elements_in_slots(rows, embedding.slots))
    sort = sorter(merge.values.policy, rows.entity, rows.layout, embedding.order)
    if embedding.overflow is not None:
        take = first_elements(rows, sort, embedding.overflow.bound, page_writer(merge, embedding, rows.layout))
        return DocumentPart(PartKind.BOUNDED, node.field, take, flag=embedding.overflow.flag)
    return DocumentPart(PartKind.ALWAYS, node.field, rows.elements() if sort is None else sorted_elements(rows, sort))
