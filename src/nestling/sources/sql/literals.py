"""A conceptual value to what a driver must be given so that reading it back yields the same value.

The inverse of `values`, chosen by the value's own type: a value that does not fit its attribute's type is written as it is.
"""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

from nestling.common.sql_dialects import MYSQL, POSTGRESQL
from nestling.ir.json_text import json_text
from nestling.ir.rows import UndecodableText
from nestling.ir.types import Type, TypeName
from nestling.sources.sql.values import timestamp_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nestling.ir.model import Attribute

    Writer = Callable[[Any], Any]

INT64 = range(-(2**63), 2**63)


def writer(attribute: Attribute, dialect: str) -> Writer:
    """The function from an attribute's conceptual values to the driver's."""
    kind = attribute.type
    if kind.name is TypeName.JSON:
        return _none_or(json_text)
    if kind.name is TypeName.BITS and dialect == MYSQL:
        return _none_or(_bits)
    if kind.name is TypeName.ARRAY and dialect == POSTGRESQL:
        return _postgresql_array(kind)
    by_type = _writers(kind, dialect)

    def write(value: Any) -> Any:
        found = by_type.get(type(value))
        return value if found is None else found(value)

    return write


def _none_or(write: Writer) -> Writer:
    return lambda value: None if value is None else write(value)


def _bits(value: Any) -> Any:
    return int(value, 2) if isinstance(value, str) else value


def _writers(kind: Type, dialect: str) -> Mapping[type, Writer]:
    if dialect == POSTGRESQL:
        return {UndecodableText: _undecodable}
    if dialect == MYSQL:
        return {
            datetime: _naive,
            UUID: str,
            list: array_text,
            dict: json_text,
            UndecodableText: _undecodable,
        }
    return {
        bool: int,
        int: _sqlite_integer,
        float: lambda value: "NaN" if math.isnan(value) else value,
        date: date.isoformat,
        datetime: _sqlite_timestamp(kind.fraction_digits),
        Decimal: str,
        UUID: str,
        list: array_text,
        dict: json_text,
    }


def _undecodable(value: UndecodableText) -> str:
    raise ValueError(f"text that is not UTF-8 ({value[:20]!r}) can be written to SQLite only")


def _naive(value: datetime) -> datetime:
    return value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)


def _sqlite_integer(value: int) -> int | str:
    return value if value in INT64 else str(value)


def _sqlite_timestamp(digits: int) -> Writer:
    write = timestamp_text(digits)
    return lambda value: write(value if value.tzinfo is None else value.astimezone(UTC))


def array_text(value: list[Any]) -> str:
    """A list as JSON text, its elements as `values` reads them back."""
    return json_text(_plain(value))


def _plain(value: Any) -> Any:
    match value:
        case list():
            return [_plain(item) for item in value]
        case datetime():
            return value.isoformat(" ", "seconds" if not value.microsecond else "microseconds")
        case bytes():
            return "\\x" + value.hex()
        case Decimal():
            return str(value)
        case float() if not math.isfinite(value):
            return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
        case _:
            return value


def _postgresql_array(kind: Type) -> Writer:
    element = kind.element

    def write(value: Any) -> Any:
        if not isinstance(value, list) or element is None or element.name is not TypeName.JSON:
            return value
        return [None if item is None else json_text(item) for item in value]

    return write
