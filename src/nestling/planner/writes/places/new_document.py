"""New documents: what a row becomes where its home is, with empty places for what belongs to it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from nestling.ir.design import Design
from nestling.ir.model import Cardinality
from nestling.ir.paths.write_path import Cell, Constant, Items, PairList, SubDocument, WrittenValue
from nestling.ir.primitives import Form, Holder
from nestling.ir.rows import AggregateKind
from nestling.ir.storage.layout import Node, Role, StoredCollection
from nestling.ir.storage.names import stored_name
from nestling.planner.writes.draft.cells import Cells, carried_column, carried_paths
from nestling.planner.writes.places.initial_copies import copied_fields, is_always_found

_Fields = tuple[tuple[str, WrittenValue], ...]


def root_document(design: Design, store: StoredCollection, root: Node, row: Cells) -> SubDocument:
    """The document of a row in a collection of its own."""
    fields: list[tuple[str, WrittenValue]] = list(constants(store))
    identity = id_value(design, store, root, row)
    if identity is not None:
        fields.insert(0, ("_id", identity))
    fields += body_fields(design, root, row)
    variant = store.collection.variant
    if variant is not None and store.role is not Role.ORPHANS:
        if row.carried and variant.subtypes:
            fields.append((variant.discriminator, Cell(carried_column(len(carried_paths(root))))))
        elif root.presence is not None:
            fields.append((variant.discriminator, Constant(root.presence.value)))
    return SubDocument(tuple(fields))


def constants(store: StoredCollection) -> _Fields:
    """The fields every document of the collection carries; orphans and pages carry none."""
    if store.role not in (Role.HOME, Role.ARCHIVE):
        return ()
    return tuple((name, Constant(value)) for name, value in store.collection.constants)


def id_value(design: Design, store: StoredCollection, root: Node, row: Cells) -> WrittenValue | None:
    """A row's `_id`, None where the server makes one."""
    attributes = design.id_attributes(store, root)
    if not attributes:
        return None
    variant = store.collection.variant
    parts: list[tuple[str, WrittenValue]] = [(stored_name(name), row[name]) for name in attributes]
    if variant is not None and variant.members and root.presence is not None and store.role is not Role.ORPHANS:
        parts.insert(0, (variant.discriminator, Constant(root.presence.value)))
    elif len(parts) == 1:
        return parts[0][1]
    return SubDocument(tuple(parts))


def element(design: Design, node: Node, row: Cells) -> WrittenValue:
    """What a row is inside its parent's document: a sub-document, or a bare value."""
    if node.form is Form.SCALARS:
        return row[node.stored[0].attribute]
    return SubDocument(tuple(body_fields(design, node, row)))


def body_fields(design: Design, node: Node, row: Cells) -> Iterator[tuple[str, WrittenValue]]:
    """The fields of a row's own document, its `_id` left out."""
    yield from ((field.path, row[field.attribute]) for field in node.beside_id)
    yield from pair_fields(node, row)
    if row.carried:
        for position, path in enumerate(carried_paths(node)):
            yield path, Cell(carried_column(position))
    else:
        yield from _empty(design, node)


def pair_fields(node: Node, row: Cells) -> Iterator[tuple[str, WrittenValue]]:
    """The lists of pairs."""
    for pairs in node.body.pairs:
        known = tuple((stored_name(name), row[name]) for name in pairs.attributes)
        yield pairs.field, PairList(pairs.key, pairs.value, known)


def _empty(design: Design, node: Node) -> Iterator[tuple[str, WrittenValue]]:
    """What a document holds before anything belongs to it."""
    for child in node.children:
        yield from _no_children(child)
    for reference in node.body.references:
        link = design.model.relationship(reference.relationship)
        if reference.holder is Holder.PARENT and link.cardinality is not Cardinality.ONE_TO_ONE:
            yield reference.field, Items()
    yield from _copies(design, node)
    yield from ((copy.name, Items()) for copy in node.body.copies if copy.form in (Form.ARRAY, Form.SCALARS))
    yield from ((copy.name, Constant(copy.separator)) for copy in node.body.copies if copy.form is Form.PATH)
    counts = (computed for computed in node.body.computed if computed.function is AggregateKind.COUNT)
    yield from ((computed.field, Constant(0)) for computed in counts)


def _copies(design: Design, node: Node) -> Iterator[tuple[str, WrittenValue]]:
    """What is copied of parents; the object of one that is there has no fields where all it copies is NULL."""
    for copy, fields in groupby(copied_fields(node), lambda each: each.copy):
        found = tuple((each.path, Cell(each.column)) for each in fields)
        if copy.form is Form.OBJECT and is_always_found(design, copy):
            yield copy.name, SubDocument(tuple((path.removeprefix(f"{copy.name}."), cell) for path, cell in found))
        else:
            yield from found


def _no_children(child: Node) -> Iterator[tuple[str, WrittenValue]]:
    embedding = child.embedding
    slots = embedding.slots if embedding is not None else None
    if child.form.to_many:
        yield child.field, Items((Constant(None),) * slots.count if slots is not None else ())
    if embedding is not None and embedding.overflow is not None:
        yield embedding.overflow.flag, Constant(value=False)
