"""Functions of a generated module that run reads and convert the results.

Those that a module uses are copied into it, so they depend only on pymongo.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from math import isfinite
from typing import Any
from uuid import UUID

from bson import (
    Binary,
    Code,
    DBRef,
    Decimal128,
    Int64,
    MaxKey,
    MinKey,
    ObjectId,
    Regex,
    Timestamp,
    decode,
    encode,
    json_util,
)
from bson.datetime_ms import DatetimeMS

from nestling.ir.codec import CODEC
from nestling.ir.value_forms.bson_in_json import EXTENDED
from nestling.ir.value_forms.numeral import INT64

TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z?", re.ASCII)
LONG_NUMBER = re.compile(r"-?\d[\d.]{34,}(E[-+]\d+)?", re.ASCII)


def collection(db: Any, name: str) -> Any:
    """A collection whose UUIDs are decoded as UUIDs."""
    return db.get_collection(name, codec_options=CODEC)


def equal_to(value: Any) -> dict[str, Any]:
    """The condition that a field is equal to the value; nothing is equal to NULL."""
    return {"$in": []} if value is None else {"$eq": value}


def rows_from(
    documents: Iterable[Mapping[str, Any]], columns: Mapping[str, Callable[[Any], Any]]
) -> list[dict[str, Any]]:
    """A dict for each document, its columns in order; NULL is None."""

    def row(document: Mapping[str, Any]) -> dict[str, Any]:
        return {name: shown_or_none(document.get(name), columns[name]) for name in columns}

    return list(map(row, documents))


def as_read(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Rows of values to be stored, as they would be read back."""
    return [decode(encode(row, codec_options=CODEC), CODEC) for row in rows]


def shown_or_none(value: Any, shown: Callable[[Any], Any]) -> Any:
    """The converted value; NULL becomes None."""
    return None if value is None else shown(value)


def as_found(value: Any) -> Any:
    """A BSON value as the corresponding Python value."""
    if isinstance(value, Decimal128):
        return exact(value)
    if isinstance(value, Int64):
        return int(value)
    if isinstance(value, Binary):
        return bytes(value).decode() if value.subtype == 130 else bytes(value)
    return value


def exact(value: Decimal128) -> Decimal:
    """A Decimal128 as a decimal."""
    return value.to_decimal()


def as_date(value: Any) -> Any:
    """A date, stored as its midnight."""
    is_day = isinstance(value, datetime) and value.time() == datetime.min.time()
    return value.date() if is_day else as_found(value)


def as_timestamp(value: Any) -> Any:
    """A timestamp; one with microseconds is stored as text."""
    is_text = isinstance(value, str) and TIMESTAMP.fullmatch(value)
    return datetime.fromisoformat(value) if is_text else as_found(value)


def as_instant(value: Any) -> Any:
    """A timestamp in UTC."""
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else as_timestamp(value)


def as_decimal(value: Any) -> Any:
    """A decimal; one with too many digits is stored as text."""
    found = as_found(value)
    is_long = isinstance(found, str) and LONG_NUMBER.fullmatch(found)
    return Decimal(found) if is_long else found


def as_numeric(value: Any) -> Any:
    """A decimal, also of a whole number."""
    found = as_decimal(value)
    return Decimal(found) if type(found) is int else found


def as_double(value: Any) -> Any:
    """A float, also of a whole number or decimal."""
    found = as_found(value)
    return float(found) if type(found) is int or isinstance(found, Decimal) else found


def as_integer(value: Any) -> Any:
    """A whole number; one beyond 64 bits may be stored as a decimal."""
    found = as_found(value)
    is_whole = isinstance(found, Decimal) and found.as_tuple().exponent == 0
    return int(found) if is_whole and not -INT64 <= found < INT64 else found


def as_json(value: Any) -> Any:
    """A JSON value; a text is parsed as JSON."""
    try:
        if type(value) is str:
            return json.loads(value)
        is_found = isinstance(value, float) or type(value) is bytes
        is_ours = isinstance(value, Binary) and value.subtype in (128, 130)
        return as_found(value) if is_found or is_ours else as_json_part(value)
    except ValueError:
        return value


def as_jsonb(value: Any) -> Any:
    """A JSON value in which decimal fractions become floats if that keeps their value."""
    return as_json(by_worth_alone(value))


def by_worth_alone(value: Any) -> Any:
    """A value inside JSON with floats in place of decimal fractions of the same value."""
    if isinstance(value, dict):
        return {name: by_worth_alone(each) for name, each in value.items()}
    if isinstance(value, list):
        return [by_worth_alone(each) for each in value]
    number = value.to_decimal() if isinstance(value, Decimal128) else Decimal("NaN")
    is_fraction = number.is_finite() and number.as_tuple().exponent != 0
    return float(number) if is_fraction and Decimal(repr(float(number))) == number else value


def as_json_part(value: Any) -> Any:
    """A value inside JSON; one that no document can hold is stored as its text."""
    if isinstance(value, Binary) and value.subtype == 129:
        return json.loads(bytes(value))
    if isinstance(value, dict):
        return {name: as_json_part(each) for name, each in value.items()}
    if isinstance(value, list):
        return [as_json_part(each) for each in value]
    if is_beyond_json(value):
        return json.loads(json_util.dumps(value, json_options=EXTENDED))
    return as_integer(value)


def is_beyond_json(value: Any) -> bool:
    """Whether JSON has no such value, so that it becomes Extended JSON."""
    if isinstance(value, Decimal128):
        number = value.to_decimal()
        if number.as_tuple().exponent == 0:
            return -INT64 <= number < INT64
        return not number.is_finite() or Decimal(repr(float(number))) == number
    odd = (bytes, UUID, datetime, ObjectId, Code, DBRef, MaxKey, MinKey, Regex, Timestamp, DatetimeMS)
    return isinstance(value, odd) or (isinstance(value, float) and not isfinite(value))


def as_char(length: int) -> Callable[[Any], Any]:
    """A text with the blanks that PostgreSQL shows a `char(n)` with."""
    return lambda value: value.ljust(length) if isinstance(value, str) else as_found(value)


def as_array(element: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that converts an array with such elements."""

    def convert(value: Any) -> Any:
        if not isinstance(value, list):
            return as_found(value)
        return [shown_or_none(each, convert if type(each) is list else element) for each in value]

    return convert


# --- joins ---------------------------------------------------------------------------------------


def parts_of(rows: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """The rows, so many at a time."""
    part: list[Any] = []
    for row in rows:
        part.append(row)
        if len(part) == size:
            yield part
            part = []
    if part:
        yield part


def ids_in(rows: Iterable[Mapping[str, Any]], field: str) -> list[Any]:
    """The values of a field, each once."""
    return list(dict.fromkeys(row[field] for row in rows if row.get(field) is not None))


def by_field(rows: Iterable[Mapping[str, Any]], field: str) -> dict[Any, list[Mapping[str, Any]]]:
    """The rows by the value of a field."""
    found: dict[Any, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(row.get(field), []).append(row)
    return found
