"""The rows stored at one place: the columns to read, and the documents compiled from them.

One body may serve two nodes: rows as elements of their parent's array, and as orphans in a collection of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nestling.executors.load.copies import copy_columns
from nestling.executors.load.document_code import AnyRow, DocumentCode, DocumentPart, PartKind
from nestling.executors.load.level import RowLayout, StreamLevel, attribute_columns
from nestling.executors.load.merge import Merge
from nestling.ir.primitives import Document, Form, Pairs
from nestling.ir.rows import RowColumn
from nestling.ir.storage.layout import Node
from nestling.ir.storage.names import stored_name


@dataclass(frozen=True, slots=True)
class Body:
    """The layout of the rows of one place, and the parts their documents have."""

    level: StreamLevel
    layout: RowLayout
    parts: tuple[DocumentPart, ...]

    def code(self, merge: Merge) -> DocumentCode:
        """An empty document over these rows."""
        return DocumentCode(merge.values, len(self.layout.columns), len(self.level.identity))


def body_columns(merge: Merge, body: Document) -> tuple[RowColumn, ...]:
    """The columns to read for the rows of a body: their own, and those of copies along many-to-one relationships."""
    copied = (column for copy in body.copies for column in copy_columns(merge.model, copy))
    return merge.columns((*attribute_columns(merge.model, body.entity), *copied))


def pairs_part(merge: Merge, layout: RowLayout, entity_name: str, pairs: Pairs) -> DocumentPart:
    """Attributes as a list of keys and values."""
    entity = merge.model.entity(entity_name)
    found = []
    for name in pairs.attributes:
        code = DocumentCode(merge.values, len(layout.columns), 0)
        code.result = code.value_or_null(layout, RowColumn(name), entity.name, entity.attribute(name))
        found.append((stored_name(name), layout[RowColumn(name)], code.compile()))
    key, value = pairs.key, pairs.value

    def listed(row: AnyRow) -> list[dict[str, Any]]:
        return [{key: name, value: build(row)} for name, at, build in found if row[at] is not None]

    return DocumentPart(PartKind.ALWAYS, pairs.field, listed, from_key=False)


def fill(merge: Merge, code: DocumentCode, body: Body, node: Node, apart: frozenset[str] = frozenset()) -> None:
    """Put a node's stored attributes (except those in `_id` and `apart`) and the body's parts into its document."""
    entity = merge.model.entity(node.entity)
    for field in node.beside_id:
        if field.attribute not in apart:
            attribute = entity.attribute(field.attribute)
            code.column(
                field.path,
                body.layout,
                RowColumn(field.attribute),
                entity.name,
                attribute,
                required=not attribute.nullable,
            )
    for part in body.parts:
        code.part(part)


def element_code(merge: Merge, body: Body, node: Node) -> DocumentCode:
    """The code from a row to its sub-document, or to its bare value."""
    code = body.code(merge)
    if node.form is not Form.SCALARS:
        fill(merge, code, body, node)
        return code
    entity, name = merge.model.entity(node.entity), node.stored[0].attribute
    code.result = code.value_or_null(body.layout, RowColumn(name), entity.name, entity.attribute(name))
    return code
