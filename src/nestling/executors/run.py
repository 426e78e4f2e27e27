"""Running a compiled read: its rows, streamed, as conceptual values in column order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pymongo.database import Database

from nestling.ir.compiled import CompiledRead, Operation, OutputColumn, bind
from nestling.ir.rows import JSON_NULL
from nestling.ir.types import TypeName
from nestling.ir.values import CODEC, decode, decoder

Row = tuple[object, ...]
Document = Mapping[str, Any]


def run_read(database: Database[Any], read: CompiledRead, values: Mapping[str, object] | None = None) -> Iterator[Row]:
    """Yield the rows; raises `WorkloadError` for parameters that do not fit before anything is asked.

    The server may use its disk for what does not fit into memory.
    """
    bound = bind(read, values)
    converts = tuple((column.field, _convert(column)) for column in read.columns)
    return (
        tuple(convert(document.get(field)) for field, convert in converts) for document in documents(database, bound)
    )


def documents(database: Database[Any], read: CompiledRead) -> Iterator[Document]:
    """The result documents of a bound read, as they come from the server."""
    if read.operation is Operation.FIND:
        yield from _find(database, read)
        return
    stages = list(read.pipeline)
    if read.collection is None:
        with database.with_options(codec_options=CODEC).aggregate(stages, allowDiskUse=True) as cursor:
            yield from cursor
        return
    collection = database.get_collection(read.collection, codec_options=CODEC)
    with collection.aggregate(stages, allowDiskUse=True) as cursor:
        yield from cursor


def _find(database: Database[Any], read: CompiledRead) -> Iterator[Document]:
    if read.limit == 0:  # which the server takes for no limit
        return
    collection = database.get_collection(str(read.collection), codec_options=CODEC)
    assert isinstance(read.skip, int | None)
    assert isinstance(read.limit, int | None)
    cursor = collection.find(read.filter, read.projection, skip=read.skip or 0, limit=read.limit or 0)
    with cursor.allow_disk_use(True) as found:
        yield from found.sort(list(read.sort)) if read.sort else found


def _convert(column: OutputColumn) -> Callable[[object], object]:
    if column.type.name is TypeName.JSON:
        inner = decoder(column.type)
        return lambda value: None if value is None or value is JSON_NULL else inner(value)
    inner = decode if column.type.name is TypeName.ANY else decoder(column.type)
    return lambda value: None if value is None else inner(value)
