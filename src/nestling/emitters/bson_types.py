"""Conceptual types as `$jsonSchema` fragments: exactly what `nestling.ir.values` stores for them, its fallbacks included.

A date or timestamp is a BSON date; text is let through only where a date could not hold the value (`infinity`, `0000-00-00`,
microseconds), because a date stored as ordinary text is the fault a validator most often has to catch. The same goes for a
UUID. Any text passes where text was seen among an attribute's values (`Attribute.also`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from nestling.ir.instants import END, NO_DATE, NO_MILLISECONDS
from nestling.ir.types import Type, TypeName
from nestling.ir.values import DECIMAL128_DIGITS, Policy

Schema = dict[str, object]

MILLISECOND_DIGITS = 3  # fraction digits of a second a BSON date keeps
_NO_OBJECT_ID = f"^(?![0-9a-f]{{24}}{END})"
_NO_CANONICAL_UUID = f"^(?![0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}{END})"
_UNUSUAL_BOUNDS = r"^\["  # PostgreSQL's text for arrays that do not start at 1, which a list could not tell


def schema_of(types: Sequence[Type], policy: Policy | None = None) -> Schema:
    """The fragment that accepts the values of all the given types; `{}` accepts anything."""
    found: list[Schema] = []
    for kind in types:
        fragment = _schema(kind, policy or Policy())
        found.extend([fragment] if fragment not in found else [])
    if not all(found):
        return {}
    if any(set(schema) == {"bsonType"} and "string" in _names(schema) for schema in found):
        found = [{k: v for k, v in schema.items() if k != "pattern"} for schema in found]
    if all(set(schema) == {"bsonType"} for schema in found):
        return bson_type(*dict.fromkeys(name for schema in found for name in _names(schema)))
    return found[0] if len(found) == 1 else {"anyOf": found}


def bson_type(*names: str) -> Schema:
    """The fragment for one of several BSON types."""
    return {"bsonType": names[0] if len(names) == 1 else list(names)}


def or_null(schema: Schema) -> Schema:
    """The fragment that accepts null as well."""
    if not schema:
        return schema
    if "bsonType" not in schema or "enum" in schema:
        return {"anyOf": [{"bsonType": "null"}, schema]}
    return {**schema, **bson_type(*_names(schema), "null")}


def _names(schema: Schema) -> list[str]:
    names = schema.get("bsonType", [])
    return list(names) if isinstance(names, list) else [str(names)]


def _schema(kind: Type, policy: Policy) -> Schema:  # noqa: C901 - one line for every type
    text = ("string",) if policy.long_decimals == "text" else ()
    match kind.name:
        case TypeName.BOOLEAN:
            return bson_type("bool")
        case TypeName.INTEGER:
            return bson_type("int", "long", "decimal", *text)
        case TypeName.DECIMAL:
            short = bool(kind.numbers) and kind.numbers[0] <= DECIMAL128_DIGITS
            return bson_type("decimal", *(() if short else text))
        case TypeName.FLOAT:
            return bson_type("double")
        case TypeName.TEXT:
            return bson_type("string", "binData")
        case TypeName.ENUM:
            return {"enum": list(kind.values)}
        case TypeName.TIME | TypeName.INTERVAL | TypeName.BITS:
            return bson_type("string")
        case TypeName.BYTES:
            return bson_type("binData")
        case TypeName.UUID:
            return {**bson_type("binData", "string"), "pattern": _NO_CANONICAL_UUID}
        case TypeName.OBJECT_ID:
            return {**bson_type("objectId", "string"), "pattern": _NO_OBJECT_ID}
        case TypeName.GEOMETRY:
            return bson_type("binData", "string")
        case TypeName.DATE:
            return {**bson_type("date", "string"), "pattern": NO_DATE}
        case TypeName.TIMESTAMP | TypeName.TIMESTAMPTZ:
            date = () if kind.fraction_digits > MILLISECOND_DIGITS else ("date",)
            return {**bson_type(*date, "string", "binData"), "pattern": NO_MILLISECONDS}
        case TypeName.ARRAY:
            return _array(kind, policy)
        case TypeName.JSON | TypeName.ANY:
            return {}
        case _:
            assert_never(kind.name)


def _array(kind: Type, policy: Policy) -> Schema:
    """Elements may be NULL, and arrays again: no type says how many dimensions an array has."""
    assert kind.element is not None
    items = schema_of((kind.element,), policy)
    if items:
        items = {"anyOf": [items, bson_type("null", "array")]}
    return {**bson_type("array", "string"), "pattern": _UNUSUAL_BOUNDS, **({"items": items} if items else {})}
