"""Conceptual values to BSON and back: the type map, in one place.

| conceptual | BSON | when that cannot hold it exactly |
|---|---|---|
| boolean | bool | |
| integer | int32 / int64, whichever fits | Decimal128 up to 34 digits, then as for decimal |
| decimal | Decimal128 | more than 34 digits or out of range: `LoadError`, or text with `long_decimals="text"` |
| float | double | |
| text, enum, time, interval, bits | string | text not valid in its encoding: binary subtype 128 |
| bytes, geometry | binary subtype 0; `bytes as subtype 3`: of that subtype | |
| date | date at midnight UTC | dates outside years 1-9999: text, as found |
| timestamp, timestamptz | date (milliseconds, UTC) | microseconds: ISO text with six digits, which sorts as it should |
| uuid | binary subtype 4 | |
| objectid | ObjectId | text that is not 24 hexadecimal digits: string |
| json | the value; JSON null is null | keys that hold NUL or start with `$`, deep nesting: binary subtype 129, the JSON text |
| array | array | |
| NULL | the field is missing (inside arrays: null) | |

A value a source handed over as it was found (text in an integer column) is stored by what it is. Where that could be taken for
the stored form of another value (text in a timestamp column that is ISO text with six digits), it is binary subtype 130. What a
live database holds inside of json and JSON has not, such as a regular expression, is read as Extended JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Literal

import bson
from bson.binary import Binary
from bson.decimal128 import Decimal128

from nestling.common.errors import LoadError, Problem
from nestling.ir.nested_values import with_leaves
from nestling.ir.quantity_words import cut
from nestling.ir.rows import JSON_NULL, JsonNull, UndecodableText
from nestling.ir.types import BSON_DIGITS, JSONB, MADE, MAY_BE_ARRAYS, Type, TypeName
from nestling.ir.value_forms.bson_in_json import beyond_json
from nestling.ir.value_forms.decimal128 import DIGITS, fits, from_decimal128, to_decimal128
from nestling.ir.value_forms.instants import INSTANT_TEXT, instant_text
from nestling.ir.value_forms.json_documents import (
    JSON_TEXT_SUBTYPE,
    TEXT_AS_FOUND_SUBTYPE,
    UNDECODABLE_TEXT_SUBTYPE,
    is_as_found,
    json_as_kept,
)
from nestling.ir.value_forms.json_text import read_json
from nestling.ir.value_forms.numeral import INT64

DECIMAL128_DIGITS = DIGITS

_Convert = Callable[[object], object]
_OBJECT_ID_TEXT = re.compile(r"[0-9a-f]{24}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Policy:
    """What to do with values BSON has no exact type for.

    `microseconds`: what a load does with moments that have some, if the design keeps dates. It does not affect how a value is
    stored, so it is not part of what distinguishes loads. `of_documents`: rows go from documents to documents, and values that
    are equal in SQL stay distinct: an ObjectId is not a text, and json and arrays are as in BSON.
    """

    long_decimals: Literal["error", "text"] = "error"
    microseconds: Literal["error", "text"] = field(default="error", repr=False)
    of_documents: bool = field(default=False, repr=False)


def encoder(kind: Type, policy: Policy | None = None) -> _Convert:
    """The function from conceptual to BSON values of a type."""
    chosen = policy or Policy()
    match kind.name:
        case _ if chosen.of_documents and kind.name in MAY_BE_ARRAYS:
            return lambda value: None if value is JSON_NULL else value
        case TypeName.JSON:
            digits = kind.carried == JSONB
            return lambda value: None if value is None else _encode_json(value, digits=digits)
        case TypeName.TIMESTAMP | TypeName.TIMESTAMPTZ:
            return lambda value: _encode_timestamp(value, kind.fraction_digits, chosen)
        case TypeName.OBJECT_ID if not chosen.of_documents:
            return lambda value: _encode_object_id(value, chosen)
        case TypeName.ARRAY if kind.element is not None:
            inner = encoder(kind.element, chosen)
            return lambda value: _encode_array(value, inner)
        case TypeName.BYTES if kind.subtype and not chosen.of_documents:
            return lambda value: Binary(value, kind.subtype) if value.__class__ is bytes else encode(value, chosen)
        case _:
            return lambda value: encode(value, chosen)


def encode(value: object, policy: Policy | None = None) -> object:
    """A conceptual value as BSON, by what it is."""
    handler = _ENCODERS.get(type(value))
    return value if handler is None else handler(value, policy or Policy())


def _encode_int(value: object, policy: Policy) -> object:
    assert isinstance(value, int)
    return value if -INT64 <= value < INT64 else _encode_decimal(Decimal(value), policy)


def _encode_decimal(value: object, policy: Policy) -> object:
    assert isinstance(value, Decimal)
    if value.is_finite() and not fits(value):
        if policy.long_decimals == "text":
            return str(value)
        digits = len(value.as_tuple().digits)
        what = f"the number {cut(str(value))} has {digits} digits; a Decimal128 holds {DECIMAL128_DIGITS}"
        raise LoadError(Problem(what=what, next_move="store such numbers as text: `--long-decimals text`"))
    return to_decimal128(value)


def _encode_date(value: object, _: Policy) -> object:
    assert isinstance(value, date)
    return datetime(value.year, value.month, value.day)  # noqa: DTZ001 - naive means UTC in BSON


def _encode_datetime(value: object, _: Policy) -> object:
    assert isinstance(value, datetime)
    return instant_text(value) if value.microsecond % 1000 else value


def _encode_timestamp(value: object, digits: int, policy: Policy) -> object:
    if isinstance(value, datetime) and digits > BSON_DIGITS:
        return instant_text(value)
    if isinstance(value, str) and INSTANT_TEXT.fullmatch(value):
        return Binary(value.encode(), TEXT_AS_FOUND_SUBTYPE)
    return encode(value, policy)


def _encode_object_id(value: object, policy: Policy) -> object:
    is_one = isinstance(value, str) and _OBJECT_ID_TEXT.fullmatch(value) is not None
    return bson.ObjectId(value) if is_one and isinstance(value, str) else encode(value, policy)


def _encode_array(value: object, inner: _Convert) -> object:
    if not isinstance(value, list):
        return inner(value)
    return [None if item is None else _encode_array(item, inner) for item in value]


def _encode_json(value: object, *, digits: bool) -> object:
    def keep(part: object) -> object:
        """A number without exact form is no text, whatever the policy: the whole JSON is, which tells the two apart."""
        try:
            return encode(part)
        except LoadError as error:
            raise ValueError("a number that cannot be stored exactly") from error

    try:
        return json_as_kept(value, keep, digits=digits)
    except TypeError as error:
        what = (
            f"a json value has keys that no document can have and numbers that cannot be stored as JSON text: {error}"
        )
        raise LoadError(Problem(what=what)) from error


_ENCODERS: dict[type, Callable[[object, Policy], object]] = {
    int: _encode_int,
    Decimal: _encode_decimal,
    date: _encode_date,
    datetime: _encode_datetime,
    UndecodableText: lambda value, _: Binary(bytes(value), UNDECODABLE_TEXT_SUBTYPE),  # type: ignore[call-overload]
    list: lambda value, policy: _encode_array(value, lambda item: encode(item, policy)),
    JsonNull: lambda _, __: None,
}


def decoder(kind: Type, policy: Policy | None = None) -> _Convert:
    """The function from BSON to conceptual values of a type; a missing field is the caller's business."""
    convert = _decoder(kind)
    if policy is None or not policy.of_documents:
        return convert
    if kind.name in MAY_BE_ARRAYS or kind.subtype:
        return lambda value: value
    return lambda value: value if value.__class__ is bson.ObjectId else convert(value)


def _decoder(kind: Type) -> _Convert:
    match kind.name:
        case TypeName.DATE:
            return _decode_date
        case TypeName.TIMESTAMP:
            return _decode_timestamp
        case TypeName.TIMESTAMPTZ:
            return _decode_timestamptz
        case TypeName.DECIMAL:
            return _decode_decimal
        case TypeName.JSON:
            digits = kind.carried in (JSONB, MADE)
            return lambda value: JSON_NULL if value is None else _decode_whole_json(value, digits)
        case TypeName.INTEGER:
            return _decode_integer
        case TypeName.ARRAY if kind.element is not None:
            inner = decoder(kind.element)
            return lambda value: _decode_array(value, inner)
        case TypeName.BYTES if kind.subtype:
            return lambda value: _decode_subtype(value, kind.subtype)
        case _:
            return decode


def decode(value: object) -> object:
    """A BSON value as a conceptual one, by what it is."""
    match value:
        case Decimal128():
            return from_decimal128(value)
        case Binary() if value.subtype == UNDECODABLE_TEXT_SUBTYPE:
            return UndecodableText(value)
        case Binary() if value.subtype == TEXT_AS_FOUND_SUBTYPE:
            return bytes(value).decode()
        case Binary() if value.subtype == 0:
            return bytes(value)
        case bson.Int64():
            return int(value)
        case bson.ObjectId():
            return str(value)
        case _:
            return value


def _decode_subtype(value: object, subtype: int) -> object:
    """The bytes of binary of that subtype; bytes of none keep that they are."""
    if value.__class__ is bytes:
        return Binary(value, 0)
    return bytes(value) if isinstance(value, Binary) and value.subtype == subtype else decode(value)


def _decode_date(value: object) -> object:
    whole_day = isinstance(value, datetime) and (value.hour, value.minute, value.second, value.microsecond) == (0,) * 4
    return value.date() if isinstance(value, datetime) and whole_day else decode(value)


def _decode_timestamp(value: object) -> object:
    if isinstance(value, str) and INSTANT_TEXT.fullmatch(value):
        return datetime.fromisoformat(value)
    return decode(value)


def _decode_timestamptz(value: object) -> object:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else _decode_timestamp(value)


def _decode_decimal(value: object) -> object:
    """Read a decimal, also one that a policy stored as text."""
    if not isinstance(value, str):
        return decode(value)
    try:
        found = Decimal(value)
    except InvalidOperation:
        return value
    return found if found.is_finite() and str(found) == value and not fits(found) else value


def _decode_integer(value: object) -> object:
    found = decode(value)
    return int(found) if isinstance(found, Decimal) and _was_integer(found) else found


def _was_integer(number: Decimal) -> bool:
    """Whether a Decimal128 stands for a whole number that is too large for 64 bits."""
    return number.as_tuple().exponent == 0 and not -INT64 <= number < INT64


def _decode_array(value: object, inner: _Convert) -> object:
    if not isinstance(value, list):
        return decode(value)
    return [
        None if item is None else _decode_array(item, inner) if isinstance(item, list) else inner(item)
        for item in value
    ]


def _decode_whole_json(value: object, digits: bool) -> object:
    """The value of a json attribute; what a source found there in place of JSON is no part of one."""
    if isinstance(value, Binary) and value.subtype == JSON_TEXT_SUBTYPE:
        return read_json(bytes(value).decode(), digits=digits)
    return decode(value) if is_as_found(value, is_whole=True) else _decode_json(value, digits)


def _decode_json(value: object, digits: bool) -> object:
    def decoded(leaf: object) -> object:
        found = beyond_json(leaf, digits=digits)
        return found if found is not None else _decode_integer(leaf)

    return with_leaves(value, decoded)
