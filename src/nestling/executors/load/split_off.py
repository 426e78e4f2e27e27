"""Parts of a root row for other collections: split-off attributes, GridFS files, rows before a point in time."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from bson.binary import Binary

from nestling.executors.load.body import Body
from nestling.executors.load.document_code import AnyRow, NewDocument
from nestling.executors.load.identity import object_id
from nestling.executors.load.merge import Merge
from nestling.ir.model import Attribute
from nestling.ir.primitives import Split
from nestling.ir.rows import RowColumn, UndecodableText
from nestling.ir.storage.layout import Node
from nestling.ir.types import Type, TypeName
from nestling.ir.value_forms.written_values import written_bound

CHUNK_BYTES = 255 * 1024
"""What drivers use for GridFS chunks."""


def part_builder(merge: Merge, body: Body, part: Node, split: Split) -> Callable[[AnyRow, Any], None]:
    """The function that stores a row's split-off attributes under its `_id`, when one is not NULL."""
    entity, code = merge.model.entity(part.entity), body.code(merge)
    for field in part.stored:
        if field.attribute in split.attributes:
            column, attribute = RowColumn(field.attribute), entity.attribute(field.attribute)
            code.column(field.path, body.layout, column, entity.name, attribute, required=False)
    build = code.compile()

    def store(row: AnyRow, key: Any) -> None:
        if fields := build(row):
            merge.side.append((split.collection, {"_id": key, **fields}))

    return store


def is_before(merge: Merge, body: Body, entity_name: str, split: Split) -> Callable[[AnyRow], bool]:
    """Whether a row belongs to the archive; a value of another class than the bound's does not."""
    assert split.rows is not None
    attribute = merge.model.entity(entity_name).attribute(split.rows.attribute)
    place, bound = body.layout[RowColumn(attribute.name)], written_bound(attribute.type, split.rows.value)
    classes = (int, float, Decimal) if isinstance(bound, int | float | Decimal) else (type(bound),)

    def before(row: AnyRow) -> bool:
        value: Any = row[place]
        return value.__class__ in classes and value < bound

    return before


def file_writer(
    merge: Merge, bucket: str, collection: str, field: str, entity: str, attribute: Attribute
) -> Callable[[Any, Any], Any]:
    """The function that stores a value as a GridFS file and returns the field's value.

    Values of another class stay in the field.
    """
    encode = merge.values.encoder(entity, attribute)

    def store(value: Any, key: Any) -> Any:
        content = _content(value, attribute.type)
        if content is None:
            return encode(value)
        name = {"collection": collection, "field": field, "_id": key}
        for number, start in enumerate(range(0, len(content), CHUNK_BYTES)):
            chunk: NewDocument = {"_id": object_id(bucket, name, number), "files_id": name, "n": number}
            merge.side.append((f"{bucket}.chunks", {**chunk, "data": Binary(content[start : start + CHUNK_BYTES])}))
        file = {"_id": name, "length": len(content), "chunkSize": CHUNK_BYTES, "uploadDate": merge.moment}
        merge.side.append((f"{bucket}.files", file))
        return {"gridfs": name, "bytes": len(content)}

    return store


def _content(value: Any, kind: Type) -> bytes | None:
    if kind.name is TypeName.BYTES:
        return value if value.__class__ is bytes else None
    if value.__class__ is UndecodableText:
        return bytes(value)
    return value.encode() if value.__class__ is str else None
