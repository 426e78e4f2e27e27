"""Running a compiled read: its rows, streamed, as conceptual values in column order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from pymongo.client_session import ClientSession
from pymongo.database import Database

from nestling.executors.calls import read_call
from nestling.executors.errors.read_errors import read_errors
from nestling.executors.exact import exact
from nestling.ir.codec import BsonDocument
from nestling.ir.programs.compiled import CompiledRead, OutputColumn, bind
from nestling.ir.rows import JSON_NULL, Row
from nestling.ir.types import JSONB, MADE, TypeName
from nestling.ir.value_forms.bson_in_json import by_worth
from nestling.ir.values import decode, decoder


def run_read(
    database: Database[Any],
    read: CompiledRead,
    values: Mapping[str, object] | None = None,
    *,
    session: ClientSession | None = None,
) -> Iterator[Row]:
    """Yield the rows; raises `WorkloadError` for parameters that do not fit before anything is asked."""
    return map(row_of(read.columns), documents(database, bind(read, values), session=session))


def documents(
    database: Database[Any], read: CompiledRead, *, session: ClientSession | None = None
) -> Iterator[BsonDocument]:
    """Yield the result documents of a bound read. Raises the errors of a read."""
    with read_errors(read.name or "the statement", database):
        yield from result_documents(database, read, session=session)


def result_documents(
    database: Database[Any], read: CompiledRead, *, session: ClientSession | None = None
) -> Iterator[BsonDocument]:
    """Yield the result documents of a bound read; errors stay the driver's, since a write has its own messages for them."""
    call = read_call(read)
    if call is None:
        return
    with call.on(exact(database), session=session) as cursor:
        yield from cursor


def row_of(columns: Sequence[OutputColumn]) -> Callable[[BsonDocument], Row]:
    """The function from a document that holds these columns to its row."""
    converts = tuple((column.field, _convert(column)) for column in columns)
    return lambda document: tuple(convert(document.get(field)) for field, convert in converts)


def _convert(column: OutputColumn) -> Callable[[object], object]:
    if column.type.name is TypeName.JSON:
        inner = decoder(column.type)
        if column.type.carried in (JSONB, MADE):  # a driver of SQL shows no digits of them
            return lambda value: None if value is None or value is JSON_NULL else by_worth(inner(value))
        return lambda value: None if value is None or value is JSON_NULL else inner(value)
    kind = column.type.element or column.type
    if kind.is_char:
        return lambda value: _filled(value, kind.numbers[0])
    inner = decode if column.type.name is TypeName.ANY else decoder(column.type)
    if column.number is TypeName.DECIMAL:
        return lambda value: None if value is None else _each(_as_decimal, inner(value))
    if column.number is TypeName.FLOAT:
        return lambda value: None if value is None else _each(_as_float, inner(value))
    return lambda value: None if value is None else inner(value)


def _each(convert: Callable[[object], object], value: object) -> object:
    """Convert the value, or each element if it is an array."""
    return [_each(convert, item) for item in value] if isinstance(value, list) else convert(value)


def _as_decimal(value: object) -> object:
    return Decimal(value) if type(value) is int else value


def _as_float(value: object) -> object:
    return float(value) if type(value) is int or isinstance(value, Decimal) else value


def _filled(value: object, length: int) -> object:
    """PostgreSQL's `char(n)`, alone or in an array, padded with blanks as it is displayed."""
    if isinstance(value, list):
        return [_filled(item, length) for item in value]
    return value.ljust(length) if isinstance(value, str) else decode(value)
