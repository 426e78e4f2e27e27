"""Conceptual types as `$jsonSchema` fragments: exactly what `nestling.ir.values` stores for the types that a model knows.

With `unseen`, also what it stores for values that the model does not know: inspecting reads only a part of large tables, and
rows may be added later. A load switches to that validator when it meets the first such value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from nestling.ir.types import BSON_DIGITS, MOMENTS, TEXT, Type, TypeName
from nestling.ir.value_forms.instants import BEYOND_BSON_DATES, DATELESS, END, INSTANT, ZERO
from nestling.ir.value_forms.odd_dates import FAR_DATE, ZERO_DATE
from nestling.ir.values import DECIMAL128_DIGITS, Policy

Schema = dict[str, object]

_NO_OBJECT_ID = f"^(?![0-9a-f]{{24}}{END})"
_NO_CANONICAL_UUID = f"^(?![0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}{END})"
_UNUSUAL_BOUNDS = r"^\["  # PostgreSQL's text for arrays that do not start at 1, which a list could not tell


def schema_of(types: Sequence[Type], policy: Policy | None = None, *, unseen: bool = False) -> Schema:
    """The fragment that accepts the values of all the given types; `{}` accepts anything."""
    found: list[Schema] = []
    for kind in types:
        fragment = _schema(kind, policy or Policy(), unseen)
        found.extend([fragment] if fragment not in found else [])
    if not all(found):
        return {}
    if TEXT in types and any(kind.name in MOMENTS for kind in types):
        found.append(bson_type("binData"))  # a text that could be taken for a moment's
    if any(set(schema) == {"bsonType"} and "string" in _names(schema) for schema in found):
        found = [{k: v for k, v in schema.items() if k != "pattern"} for schema in found]
    patterns = [schema["pattern"] for schema in found if "pattern" in schema]
    if len(patterns) > 1 or any(not schema.keys() <= {"bsonType", "pattern"} for schema in found):
        return found[0] if len(found) == 1 else {"anyOf": found}
    names = bson_type(*dict.fromkeys(name for schema in found for name in _names(schema)))
    return {**names, "pattern": patterns[0]} if patterns else names


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


def _schema(kind: Type, policy: Policy, unseen: bool) -> Schema:  # noqa: C901 - one line for every type
    long_text = ("string",) if policy.long_decimals == "text" else ()
    match kind.name:
        case TypeName.BOOLEAN:
            return bson_type("bool")
        case TypeName.INTEGER:
            return bson_type("int", "long", *(("decimal", *long_text) if unseen else ()))
        case TypeName.DECIMAL:
            short = bool(kind.numbers) and kind.numbers[0] <= DECIMAL128_DIGITS
            return bson_type("decimal", *(() if short else long_text))
        case TypeName.FLOAT:
            return bson_type("double")
        case TypeName.TEXT if kind in (FAR_DATE, ZERO_DATE):
            return _text(BEYOND_BSON_DATES if kind == FAR_DATE else ZERO)
        case TypeName.TEXT:
            return bson_type("string", *(("binData",) if unseen else ()))
        case TypeName.ENUM:
            return {"enum": list(kind.values)}
        case TypeName.TIME | TypeName.INTERVAL:
            return bson_type("string")
        case TypeName.BITS:
            return _text("[01]*")
        case TypeName.BYTES:
            return bson_type("binData")
        case TypeName.UUID:
            return {**bson_type("binData", "string"), "pattern": _NO_CANONICAL_UUID} if unseen else bson_type("binData")
        case TypeName.OBJECT_ID:
            return {**bson_type("objectId", "string"), "pattern": _NO_OBJECT_ID} if unseen else bson_type("objectId")
        case TypeName.GEOMETRY:
            return bson_type("binData", "string")
        case TypeName.DATE:
            return {**_text(DATELESS), **bson_type("date", "string")} if unseen else bson_type("date")
        case TypeName.TIMESTAMP | TypeName.TIMESTAMPTZ:
            return _moment(kind, policy, unseen)
        case TypeName.ARRAY:
            return _array(kind, policy, unseen)
        case TypeName.JSON | TypeName.ANY:
            return {}
        case _:
            assert_never(kind.name)


def _text(form: str) -> Schema:
    """Texts that have this form as a whole."""
    return {**bson_type("string"), "pattern": f"^({form}){END}"}


def _moment(kind: Type, policy: Policy, unseen: bool) -> Schema:
    """A date; of a column with microseconds a text."""
    is_date = kind.fraction_digits <= BSON_DIGITS
    date = ("date",) if is_date else ()
    if unseen:
        return {**_text(f"{DATELESS}|{INSTANT}"), **bson_type(*date, "string", "binData")}
    if is_date and policy.microseconds == "error":
        return bson_type("date")
    return {**_text(INSTANT), **bson_type(*date, "string")}


def _array(kind: Type, policy: Policy, unseen: bool) -> Schema:
    """An array. Elements may be NULL; if it is not known to be one-dimensional, arrays may be nested to any depth."""
    assert kind.element is not None
    nested = unseen or kind.element.name is TypeName.ARRAY
    items = schema_of((kind.element,), policy, unseen=unseen)
    if items:
        items = {"anyOf": [items, bson_type("null", "array")]} if nested else or_null(items)
    bounds: Schema = {**bson_type("array", "string"), "pattern": _UNUSUAL_BOUNDS} if unseen else bson_type("array")
    return {**bounds, **({"items": items} if items else {})}
