"""Sample documents: plausible values made from types and names, the same on every run, accepted by the validator."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import assert_never, cast
from uuid import UUID

from bson import Binary, Decimal128, ObjectId

from nestling.emitters.content import (
    Array,
    Content,
    ContentField,
    Either,
    FixedContent,
    InlineRow,
    Object,
    PlainContent,
    ValueContent,
)
from nestling.emitters.documents import documents
from nestling.ir.constraints.allowed_values import fitting, nth_value
from nestling.ir.design import Design
from nestling.ir.storage.layout import StoredCollection
from nestling.ir.types import Type, TypeName, bit_count
from nestling.ir.values import decode, encode

_Document = dict[str, object]

ELEMENTS = 2  # enough to show that it is an array
_FIRST_DAY = datetime(2024, 3, 1)  # noqa: DTZ001 - naive means UTC in BSON
_TEXTS = (
    (r"e.?mail", "ada@example.org"),
    (r"url|website|homepage|link", "https://example.org/"),
    (r"phone|mobile|fax", "+44 20 7946 0958"),
    (r"first.?name|given", "Ada"),
    (r"last.?name|surname|family", "Lovelace"),
    (r"country", "GB"),
    (r"city|town", "London"),
    (r"zip|postal|postcode", "NW1 5LR"),
    (r"street|address", "12 St James's Square"),
    (r"currency", "EUR"),
    (r"colou?r", "green"),
    (r"status|state", "open"),
    (r"lang|locale", "en"),
    (r"user|login", "ada"),
    (r"title|subject", "A first title"),
    (r"desc|comment|note|text|body|message", "A few words."),
)


def sample_documents(design: Design, store: StoredCollection) -> tuple[_Document, ...]:
    """One document of each kind of a store."""
    return tuple(_document(document) for document in documents(design, store))


def _document(document: Object) -> _Document:
    made = {field.name: _value(field.content, field, 0) for field in document.fields}
    return _of_one_subtype(made, document.inline) if document.inline else made


def _of_one_subtype(document: _Document, inline: Sequence[InlineRow]) -> _Document:
    """Keep the first subtype's fields in the document and remove those of the others."""
    first, *others = inline
    at, name = _place(document, first.discriminator)
    if at[name] != first.value:  # the supertype's own value comes first
        at[name] = [at[name], first.value]
    for row in others:
        for field in row.fields:
            at, name = _place(document, field.name)
            del at[name]
    return document


def _place(document: _Document, path: str) -> tuple[_Document, str]:
    """The sub-document that contains the last part of a dotted path, and its name there."""
    *outer, name = path.split(".")
    for each in outer:
        document = cast(_Document, document[each])
    return document, name


def _value(content: Content, field: ContentField, number: int) -> object:
    """A sample value for a field; `number` makes the elements of an array differ."""
    match content:
        case ValueContent():
            found = _of_type(content.types[0], field.source.rpartition(".")[2] or field.name, number)
            return _allowed(found, content, number)
        case FixedContent():
            return content.values[number % len(content.values)]
        case PlainContent():
            return _plain(content.bson_types[0], field, number)
        case Object():
            return {each.name: _value(each.content, each, number) for each in content.fields}
        case Array():
            return _elements(content, field)
        case Either():
            return _value(content.alternatives[0], field, number)
        case _:
            assert_never(content)


def _allowed(found: object, value: ValueContent, number: int) -> object:
    """The value, or another one if it is not allowed."""
    allowed, plain = value.allowed, decode(found)
    if allowed is None or not isinstance(plain, str | int | float | Decimal) or allowed.holds(plain):
        return found
    return (
        fitting(str(found), allowed)
        if allowed.lengths
        else encode(nth_value(number, ELEMENTS, allowed, value.types[0]))
    )


def _elements(content: Array, field: ContentField) -> list[object]:
    count = min(ELEMENTS, ELEMENTS if content.maximum is None else content.maximum)
    found = [_value(content.items, field, number) for number in range(count)]
    return found + [None] * ((content.minimum or 0) - count)


def _plain(bson_type: str, field: ContentField, number: int) -> object:
    match bson_type:
        case "objectId":
            return ObjectId(f"{number + 1:024x}")
        case "bool":
            return False
        case "date":
            return _FIRST_DAY
        case "string":
            return "/1/4/" if "joined" in field.remark else field.name
        case _:
            return number + (2 if field.name == "page" else 1)


def _of_type(kind: Type, name: str, number: int) -> object:  # noqa: C901 - one line for every type
    match kind.name:
        case TypeName.BOOLEAN:
            return number == 0
        case TypeName.INTEGER:
            return 2024 if name.lower().endswith("year") else number + (1 if name.lower().endswith("id") else 3)
        case TypeName.DECIMAL:
            return Decimal128(_decimal(kind, number))
        case TypeName.FLOAT:
            return 1.5 + number
        case TypeName.TEXT | TypeName.ANY:
            return _text(kind, name, number)
        case TypeName.ENUM:
            return kind.values[number % len(kind.values)]
        case TypeName.TIME:
            return "09:30:00"
        case TypeName.INTERVAL:
            return "P1D"
        case TypeName.BITS:
            return "1".rjust(bit_count(kind), "0")
        case TypeName.BYTES | TypeName.GEOMETRY:
            return Binary(b"\x01\x02\x03", 0)
        case TypeName.UUID:
            return Binary.from_uuid(UUID(int=number + 1))
        case TypeName.OBJECT_ID:
            return ObjectId(f"{number + 1:024x}")
        case TypeName.DATE:
            return _FIRST_DAY + timedelta(days=number)
        case TypeName.TIMESTAMP | TypeName.TIMESTAMPTZ:
            return _moment(kind, number)
        case TypeName.JSON:
            return {"key": "value"}
        case TypeName.ARRAY:
            assert kind.element is not None
            return [_of_type(kind.element, name, place) for place in range(ELEMENTS)]
        case _:
            assert_never(kind.name)


def _decimal(kind: Type, number: int) -> str:
    """A number that fits the declared precision and scale."""
    precision, scale = (*kind.numbers, 0)[:2] if kind.numbers else (10, 2)
    whole = str(9 + number)[-max(precision - scale, 1) :]
    return f"{whole}.{'95'.ljust(scale, '0')[:scale]}" if scale else whole


def _moment(kind: Type, number: int) -> object:
    moment = _FIRST_DAY + timedelta(hours=9, minutes=30 + number)
    if kind.fraction_digits <= 3:
        return moment
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%f") + ("Z" if kind.name is TypeName.TIMESTAMPTZ else "")


def _text(kind: Type, name: str, number: int) -> str:
    found = next((text for pattern, text in _TEXTS if re.search(pattern, name, re.IGNORECASE)), f"{name} {number + 1}")
    return found[: kind.numbers[0]] if kind.numbers and kind.numbers[0] else found
