"""Running an aggregation: its rows, streamed in constant memory, raw or as conceptual values.

A raw row is one BSON document that holds the value of column i in the field `str(i)`. Whole files are values as any other:
a row with one is as big in memory as its file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import bson
from bson.codec_options import CodecOptions, DatetimeConversion
from bson.errors import BSONError
from pymongo.client_session import ClientSession
from pymongo.database import Database
from pymongo.errors import OperationFailure

from nestling.common.errors import Problem, RebuildError
from nestling.common.server_codes import UNAUTHORIZED
from nestling.executors.exact import exact
from nestling.executors.stored_file import DamagedFileError, file_content
from nestling.ir.codec import CODEC
from nestling.ir.literals import shell
from nestling.ir.model import Entity
from nestling.ir.paths.access_path import column_field
from nestling.ir.programs.command import Aggregation, FileField
from nestling.ir.rows import JSON_NULL, Row, UndecodableText
from nestling.ir.types import TypeName
from nestling.ir.values import Policy, decoder, encode
from nestling.ir.words.value_words import value_words

_UNREADABLE = (BSONError, OverflowError, ValueError, TypeError)
_AS_STORED: CodecOptions[Any] = CodecOptions(datetime_conversion=DatetimeConversion.DATETIME_AUTO)
"""Reads dates beyond those of Python, and binary values of subtype 4 that are no UUIDs."""


def read_raw(database: Database[Any], query: Aggregation) -> Iterator[memoryview | bytes]:
    """Yield the rows as received from the server. Raises `RebuildError` if it cannot yield them."""
    if query.files:
        yield from (bson.encode(row, codec_options=CODEC) for row in read_stored(database, query))
        return
    for batch in _batches(database, query):
        yield from split_documents(batch)


def read_rows(
    database: Database[Any],
    query: Aggregation,
    entity: Entity,
    *,
    policy: Policy | None = None,
) -> Iterator[Row]:
    """Yield the rows as conceptual values in column order. Raises `RebuildError` if one cannot be rebuilt.

    `policy` says what the rows are for.
    """
    return map(row_decoder(query.columns, entity, policy), read_stored(database, query))


def read_stored(
    database: Database[Any], query: Aggregation, session: ClientSession | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the stored rows undecoded, with whole files in place of pointers. Raises `RebuildError`."""
    ours = exact(database)
    for batch in _batches(database, query, session):
        for document in _decoded(batch, query, ours.codec_options):
            for file in query.files:
                if is_pointer(document.get(file.field)):
                    document[file.field] = _file_value(ours, document[file.field]["gridfs"], query, file)
            yield document


def row_decoder(
    columns: Sequence[str], entity: Entity, policy: Policy | None = None
) -> Callable[[Mapping[str, Any]], Row]:
    """Return the function from a decoded row to conceptual values, for columns that are attributes of the entity.

    A missing field is NULL, and so is null, except in JSON, where it is `JSON_NULL`. `policy` says what the rows are for.
    """
    types = [entity.attribute(name).type for name in columns]
    fields = tuple((column_field(position), decoder(kind, policy)) for position, kind in enumerate(types))
    places = tuple(position for position, kind in enumerate(types) if kind.name is TypeName.JSON)

    def decode(document: Mapping[str, Any]) -> Row:
        get = document.get
        values = [None if (value := get(name)) is None else convert(value) for name, convert in fields]
        for position in places:
            if values[position] is None and column_field(position) in document:
                values[position] = JSON_NULL
        return tuple(values)

    return decode


def split_documents(batch: bytes) -> Iterator[memoryview]:
    """The concatenated BSON documents in a batch."""
    view, start, end = memoryview(batch), 0, len(batch)
    while start < end:
        stop = start + int.from_bytes(view[start : start + 4], "little")
        yield view[start:stop]
        start = stop


def decode_raw(raw: bytes | memoryview, query: Aggregation, codec: CodecOptions[Any] = CODEC) -> dict[str, Any]:
    """Decode one raw row; raises `RebuildError`."""
    (document,) = _decoded(raw, query, codec)
    return document


def is_pointer(value: object) -> bool:
    """Whether a field holds a pointer to a file; values that are neither text nor bytes stay where they are."""
    return isinstance(value, dict) and value.keys() == {"gridfs", "bytes"}


def _decoded(batch: bytes | memoryview, query: Aggregation, codec: CodecOptions[Any]) -> list[dict[str, Any]]:
    try:
        return bson.decode_all(batch, codec)
    except _UNREADABLE as error:
        what = f"{_unreadable(batch, query)} holds a value that cannot be read: {error}"
        raise RebuildError(Problem(what=what, where=query.collection)) from error


def _unreadable(batch: bytes | memoryview, query: Aggregation) -> str:
    """Describe the attribute and row that cannot be decoded, as far as they can be determined."""
    for raw in split_documents(bytes(batch)):
        with suppress(*_UNREADABLE):
            row = bson.decode(raw, _AS_STORED)
            for position, name in enumerate(query.columns):
                if not _is_readable(row.get(column_field(position))):
                    return f"`{name}` in the row {query.columns[0]} = {value_words(row.get(column_field(0)))}"
    return "a document"


def _is_readable(value: object) -> bool:
    try:
        bson.decode(bson.encode({"": value}, codec_options=_AS_STORED), CODEC)
    except _UNREADABLE:
        return False
    return True


def _batches(database: Database[Any], query: Aggregation, session: ClientSession | None = None) -> Iterator[bytes]:
    with _rebuild_errors(query):
        cursor = exact(database)[query.collection].aggregate_raw_batches(list(query.stages), session, allowDiskUse=True)
        with cursor:
            yield from cursor


@contextmanager
def _rebuild_errors(query: Aggregation) -> Iterator[None]:
    """Name the collection if the server cannot yield its rows.

    A missing permission remains the driver's error.
    """
    try:
        yield
    except OperationFailure as error:
        if error.code == UNAUTHORIZED:
            raise
        what = f"its rows cannot be read back: {error.details.get('errmsg') if error.details else error}"
        raise RebuildError(Problem(what=what, where=query.collection)) from error


def _file_value(database: Database[Any], name: object, query: Aggregation, file: FileField) -> object:
    """The file's content as BSON would hold it."""
    try:
        content = file_content(database, file.bucket, name)
    except DamagedFileError as error:
        what = f"`{query.columns[int(file.field)]}` points to the file {shell(name)}: {error}"
        move = "restore the file, or set the field's value again"
        raise RebuildError(Problem(what=what, where=f"GridFS bucket {file.bucket}", next_move=move)) from error
    if not file.is_text:
        return content
    try:
        return content.decode()
    except UnicodeDecodeError:
        return encode(UndecodableText(content))
