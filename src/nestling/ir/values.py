"""Conceptual values to BSON and back: the type map, in one place.

| conceptual | BSON | when that cannot hold it exactly |
|---|---|---|
| boolean | bool | |
| integer | int32 / int64, whichever fits | Decimal128 up to 34 digits, then as for decimal |
| decimal | Decimal128 | more than 34 digits or out of range: `LoadError`, or text with `long_decimals="text"` |
| float | double | |
| text, enum, time, interval, bits | string | text not valid in its encoding: binary subtype 128 |
| bytes, geometry | binary subtype 0 | |
| date | date at midnight UTC | dates outside years 1-9999: text, as found |
| timestamp, timestamptz | date (milliseconds, UTC) | microseconds: ISO text with six digits, which sorts as it should |
| uuid | binary subtype 4 | |
| json | the value; JSON null is null | a key MongoDB cannot hold: binary subtype 129, the JSON text |
| array | array | |
| NULL | the field is missing (inside arrays: null) | |

`encoder` and `decoder` return None where nothing is to be done, so that fast paths can skip the call. A value a source handed
over as it was found (text in an integer column) is stored by what it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Literal

import bson
from bson.binary import Binary, UuidRepresentation
from bson.codec_options import CodecOptions
from bson.decimal128 import Decimal128, create_decimal128_context

from nestling.common.errors import LoadError, Problem
from nestling.ir.rows import JSON_NULL, JsonNull, UndecodableText
from nestling.ir.types import Type, TypeName

UNDECODABLE_TEXT_SUBTYPE = 128
JSON_TEXT_SUBTYPE = 129
DECIMAL128_DIGITS = 34

CODEC: CodecOptions[dict[str, object]] = CodecOptions(uuid_representation=UuidRepresentation.STANDARD)
"""How every document of ours is encoded and decoded; dates come back naive, in UTC."""

Convert = Callable[[object], object]
_INT64 = 1 << 63
_IDENTITY = (TypeName.FLOAT, TypeName.BOOLEAN)


@dataclass(frozen=True, slots=True)
class Policy:
    """What to do with values BSON has no exact type for."""

    long_decimals: Literal["error", "text"] = "error"


def encoder(kind: Type, policy: Policy | None = None) -> Convert | None:
    """The function from conceptual to BSON values of a type, None for identity."""
    if kind.name in _IDENTITY and policy is None:
        return None
    chosen = policy or Policy()
    if kind.name is TypeName.JSON:
        return lambda value: None if value is None else _encode_json(value, chosen)
    if kind.fraction_digits > 3:
        return lambda value: timestamp_text(value) if isinstance(value, datetime) else encode(value, chosen)
    return lambda value: encode(value, chosen)


def encode(value: object, policy: Policy | None = None) -> object:
    """A conceptual value as BSON, by what it is."""
    handler = _ENCODERS.get(type(value))
    return value if handler is None else handler(value, policy or Policy())


def _encode_int(value: object, policy: Policy) -> object:
    assert isinstance(value, int)
    return value if -_INT64 <= value < _INT64 else _encode_decimal(Decimal(value), policy)


def _encode_decimal(value: object, policy: Policy) -> object:
    assert isinstance(value, Decimal)
    context = create_decimal128_context()
    if value.is_finite():
        digits = len(value.as_tuple().digits)
        exact = digits <= DECIMAL128_DIGITS and context.create_decimal(value) == value
        if not exact and policy.long_decimals == "text":
            return str(value)
        if not exact:
            what = f"the number {value} has {digits} digits; a Decimal128 keeps {DECIMAL128_DIGITS}"
            raise LoadError(Problem(what=what, next_move="store such numbers as text: `--long-decimals text`"))
    return Decimal128(value)


def _encode_date(value: object, _: Policy) -> object:
    assert isinstance(value, date)
    return datetime(value.year, value.month, value.day)  # noqa: DTZ001 - naive means UTC in BSON


def _encode_datetime(value: object, _: Policy) -> object:
    assert isinstance(value, datetime)
    return timestamp_text(value) if value.microsecond % 1000 else value


def timestamp_text(value: datetime) -> str:
    """ISO text with six fraction digits, in UTC with a `Z` where the value has a zone: sorts in time order."""
    if value.tzinfo is not None:
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")
    return value.strftime("%Y-%m-%dT%H:%M:%S.%f").rjust(26, "0")


def _encode_array(value: object, policy: Policy) -> object:
    assert isinstance(value, list)
    return [encode(item, policy) for item in value]


def _encode_json(value: object, policy: Policy) -> object:
    if isinstance(value, str):
        return value
    try:
        encoded = _json_value(value, policy)
        bson.encode({"": encoded}, codec_options=CODEC)
    except (bson.errors.InvalidDocument, bson.errors.InvalidStringData, OverflowError):
        return Binary(json.dumps(value, ensure_ascii=False).encode(), JSON_TEXT_SUBTYPE)
    return encoded


def _json_value(value: object, policy: Policy) -> object:
    match value:
        case JsonNull():
            return None
        case dict():
            return {name: _json_value(item, policy) for name, item in value.items()}
        case list():
            return [_json_value(item, policy) for item in value]
        case _:
            return encode(value, policy)


_ENCODERS: dict[type, Callable[[object, Policy], object]] = {
    int: _encode_int,
    Decimal: _encode_decimal,
    date: _encode_date,
    datetime: _encode_datetime,
    UndecodableText: lambda value, _: Binary(bytes(value), UNDECODABLE_TEXT_SUBTYPE),  # type: ignore[call-overload]
    list: _encode_array,
    JsonNull: lambda _, __: None,
}


def decoder(kind: Type) -> Convert:
    """The function from BSON to conceptual values of a type; a missing field is the caller's business."""
    match kind.name:
        case TypeName.DATE:
            return _decode_date
        case TypeName.TIMESTAMPTZ:
            return lambda value: value.replace(tzinfo=UTC) if isinstance(value, datetime) else decode(value)
        case TypeName.JSON:
            return lambda value: JSON_NULL if value is None else _decode_json(value)
        case TypeName.INTEGER:
            return _decode_integer
        case TypeName.ARRAY if kind.element is not None:
            inner = decoder(kind.element)
            return lambda value: _decode_array(value, inner)
        case _:
            return decode


def decode(value: object) -> object:
    """A BSON value as a conceptual one, by what it is."""
    match value:
        case Decimal128():
            return value.to_decimal()
        case Binary() if value.subtype == UNDECODABLE_TEXT_SUBTYPE:
            return UndecodableText(value)
        case Binary() if value.subtype == 0:
            return bytes(value)
        case bson.Int64():
            return int(value)
        case _:
            return value


def _decode_date(value: object) -> object:
    whole_day = isinstance(value, datetime) and (value.hour, value.minute, value.second, value.microsecond) == (0,) * 4
    return value.date() if isinstance(value, datetime) and whole_day else decode(value)


def _decode_integer(value: object) -> object:
    found = decode(value)
    return int(found) if isinstance(found, Decimal) and found == found.to_integral_value() else found


def _decode_array(value: object, inner: Convert) -> object:
    if not isinstance(value, list):
        return decode(value)
    return [
        None if item is None else _decode_array(item, inner) if isinstance(item, list) else inner(item)
        for item in value
    ]


def _decode_json(value: object) -> object:
    if isinstance(value, Binary) and value.subtype == JSON_TEXT_SUBTYPE:
        return json.loads(bytes(value))
    if isinstance(value, dict):
        return {name: _decode_json(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_decode_json(item) for item in value]
    found = decode(value)
    return int(found) if isinstance(found, Decimal) and found == found.to_integral_value() else found
