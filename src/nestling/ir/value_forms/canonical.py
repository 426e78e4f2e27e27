"""Rows as bytes: what two rows are compared by.

`row_encoder` writes conceptual values as the BSON document a home view yields for the same row: fast, and the same bytes unless
something differs. `canonical_encoder` is the judge when bytes differ: it takes away differences that mean nothing (the order of
keys in a json object, which NaN, what a model says is one value) and keeps every other, the type of a value included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeGuard
from uuid import UUID

import bson

from nestling.ir.codec import CODEC
from nestling.ir.model import Attribute, Entity
from nestling.ir.paths.access_path import column_field
from nestling.ir.rows import JSON_NULL
from nestling.ir.types import TypeName
from nestling.ir.value_forms.bson_in_json import by_worth
from nestling.ir.value_forms.numeral import INT64
from nestling.ir.values import Policy, encoder

_Row = Sequence[object]
RowEncoder = Callable[[_Row], bytes]

_AS_THEY_ARE = frozenset((str, int, float, bool, bytes, UUID))
_ALWAYS_CONVERTED = (TypeName.TIMESTAMP, TypeName.TIMESTAMPTZ, TypeName.ARRAY)


def row_encoder(columns: Sequence[str], entity: Entity, policy: Policy) -> RowEncoder:
    """The function from conceptual values in column order to a row's BSON; raises `LoadError` for what BSON cannot hold."""
    kinds = [entity.attribute(name).type for name in columns]
    # Values of these classes are written as they are, and need no call; the others are looked at by their encoder.
    usual = [frozenset() if kind.name in _ALWAYS_CONVERTED or kind.subtype else _AS_THEY_ARE for kind in kinds]
    names = [column_field(position) for position in range(len(columns))]
    converts = tuple(zip(names, (encoder(kind, policy) for kind in kinds), usual, strict=True))

    def slowly(row: _Row) -> bytes:
        fields = {n: convert(v) for (n, convert, _), v in zip(converts, row, strict=True) if v is not None}
        return bson.encode(fields, codec_options=CODEC)

    def encode(row: _Row) -> bytes:
        try:
            fields = {
                n: v if v.__class__ in plain else convert(v)
                for (n, convert, plain), v in zip(converts, row, strict=True)
                if v is not None
            }
            return bson.encode(fields, codec_options=CODEC)
        except OverflowError:  # an integer beyond 64 bits
            return slowly(row)

    return encode


def canonical_encoder(columns: Sequence[str], entity: Entity, policy: Policy) -> RowEncoder:
    """Like `row_encoder`, but rows whose values are the same give the same bytes however they are stored."""
    encode = row_encoder(columns, entity, policy)
    judges = [_judge(entity.attribute(name)) for name in columns]
    return lambda row: encode([judge(value) for judge, value in zip(judges, row, strict=True)])


def _judge(attribute: Attribute) -> Callable[[object], object]:
    """What makes values of an attribute one that its model says are."""
    if attribute.is_numeric:
        return lambda value: int(value) if _is_whole(value) else canonical(value)
    if attribute.type.name is TypeName.JSON:  # where a text is JSON text
        return lambda value: JSON_NULL if value == "null" else canonical(by_worth(value))
    return canonical


def _is_whole(value: object) -> TypeGuard[float]:
    return type(value) is float and value.is_integer() and -INT64 <= value < INT64


def stored_bytes(value: object) -> bytes:
    """A stored value of any type as bytes that tell it from others, 1 from 1.0 and True among them."""
    return bson.encode({"": value}, codec_options=CODEC)


def canonical(value: object) -> object:
    """The value with its keys in order and the one NaN; strings of numbers, dates and bytes stay apart from those."""
    match value:
        case float() if value != value:
            return float("nan")
        case dict():
            return {name: canonical(value[name]) for name in sorted(value)}
        case list():
            return [canonical(item) for item in value]
        case _:
            return value
