"""The text of a value under keys of JSON, for texts, truth values and numbers, which the server writes as PostgreSQL does.

A jsonb keeps the digits of numbers, and so do its documents (`1.50` is a decimal there). A json may write a fraction in any
form, such as `15e-1`, which MongoDB does not keep, and PostgreSQL writes objects and arrays differently from how they are
stored. A statement fails on these, and on JSON that is stored as text because it could not become a document.

SQLite returns texts and numbers unchanged, truth values as 1 and 0, and objects and arrays as texts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.constants import MqlValue, inline
from nestling.emitters.mql.sql.failures import failure
from nestling.emitters.mql.sql.nulls import absent, bind
from nestling.emitters.mql.sql.numerals import float_text
from nestling.ir.statements.expression import ANY, Call, Literal
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import JSONB, TEXT

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_AS_WRITTEN = ["string", "int", "long", "bool", "null", "missing"]
"""Types for which the server and PostgreSQL produce the same text, or NULL."""
_VALUES_OF_SQLITE = ["string", "int", "long", "double", "decimal", "null", "missing"]
"""Types that SQLite returns unchanged."""


def json_value(node: Call, r: Renderer) -> MqlValue:
    """The text; NULL for JSON's null, for a missing key and for a value that is not an object."""
    has_digits = node.arguments[0].type.carried == JSONB

    def shown(value: MqlValue) -> MqlValue:
        if node.rules is Rules.MYSQL:
            return _of_mysql(value)
        return _of_sqlite(value) if node.rules is Rules.SQLITE else _text(value, has_digits=has_digits)

    return bind({"json": r.value(node.arguments[0])}, lambda json: _of_part(node, json, shown, under))


def json_length(node: Call, r: Renderer) -> MqlValue:
    """The number of elements; NULL if there is no value."""

    def length(value: MqlValue) -> MqlValue:
        kind = {"$type": value}
        branches = [
            {"case": {"$isArray": [value]}, "then": {"$size": value}},
            {"case": {"$eq": [kind, "missing"]}, "then": None},
        ]
        if node.rules is Rules.MYSQL:
            of_object = {"case": {"$eq": [kind, "object"]}, "then": {"$size": {"$objectToArray": value}}}
            return {"$switch": {"branches": [*branches, of_object], "default": 1}}
        return {
            "$switch": {"branches": branches, "default": failure("there is no array length of JSON stored as", kind)}
        }

    def body(json: MqlValue) -> MqlValue:
        return {"$cond": [absent(json), None, _of_part(node, json, length, _in_object)]}

    return bind({"json": r.value(node.arguments[0])}, body)


def _of_part(
    node: Call,
    json: MqlValue,
    shown: Callable[[MqlValue], MqlValue],
    field: Callable[[list[str], MqlValue], MqlValue],
) -> MqlValue:
    """Apply a function to the part under the keys; fails if the JSON is stored as a text that may have such a part."""
    keys = [key for key in node.arguments[1:] if isinstance(key, Literal)]
    is_jsonb = node.arguments[0].type.carried == JSONB
    whole = "[{\\[]" if node.rules is Rules.MYSQL else "."
    begins = _begins(keys[0], is_jsonb=is_jsonb) if keys else whole
    part = json
    for key in keys:
        if key.type == TEXT:
            part = field([str(key.value)], part)
        else:
            part = bind({"part": part}, partial(_element, place=key, is_jsonb=is_jsonb))
    return {
        "$cond": [_is_kept_as_text(json, begins), _failure({"$type": json}, node.rules), bind({"value": part}, shown)]
    }


def _in_object(keys: list[str], json: MqlValue) -> MqlValue:
    """What lies under a key of an object; of JSON's null nothing, where `$getField` has null."""

    def found(part: MqlValue) -> MqlValue:
        return {"$cond": [{"$eq": [{"$type": part}, "object"]}, under(keys, part), "$$REMOVE"]}

    return bind({"part": json}, found)


def json_number(node: Call, r: Renderer) -> MqlValue:
    """The number MySQL takes the text for: it begins with one, or counts for 0."""
    json, *keys = node.arguments
    names = [str(key.value) for key in keys if isinstance(key, Literal)]

    def number(value: MqlValue) -> MqlValue:
        kind = {"$type": value}
        found = {"$regexFind": {"input": {"$cond": [{"$eq": [kind, "string"]}, value, ""]}, "regex": _LEADING_NUMBER}}
        text = {"$ifNull": [{"$first": {"$getField": {"field": "captures", "input": found}}}, "0"]}
        branches = [
            {"case": {"$isNumber": value}, "then": {"$toDouble": value}},
            {"case": {"$eq": [kind, "missing"]}, "then": None},
        ]
        return {"$switch": {"branches": branches, "default": {"$toDouble": text}}}

    def body(json: MqlValue) -> MqlValue:
        found = bind({"value": under(names, json)}, number)
        return {"$cond": [_is_kept_as_text(json), _failure({"$type": json}, node.rules), found]}

    return bind({"json": r.value(json)}, body)


_LEADING_NUMBER = r"^[ \t\n\x0b\f\r]*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)"


def under(keys: list[str], json: MqlValue) -> MqlValue:
    """The value under the keys. `$getField`, unlike a path, does not look into the elements of an array."""
    for key in keys:
        json = {"$getField": {"field": inline(key), "input": json}}
    return json


def _element(part: MqlValue, place: Literal, *, is_jsonb: bool) -> MqlValue:
    """The element at a place. To an arrow a jsonb that is no array or object is the only element of itself."""
    assert isinstance(place.value, int)
    other: MqlValue = "$$REMOVE"
    if place.type == ANY:
        other = _in_object([str(place.value)], part)
    elif is_jsonb and place.value in (0, -1):
        other = {"$cond": [{"$eq": [{"$type": part}, "object"]}, "$$REMOVE", part]}
    return {"$cond": [{"$isArray": [part]}, {"$arrayElemAt": [part, place.value]}, other]}


def _begins(first: Literal, *, is_jsonb: bool) -> str:
    """With what the text of JSON begins that may have a part under the key or at the place."""
    if first.type == TEXT:
        return r"\{"
    return r"[{\[]" if first.type == ANY else r'[\["]' if is_jsonb else r"\["


def _is_kept_as_text(json: MqlValue, begins: str = r"\{") -> MqlValue:
    """Whether a part may be in it; other texts are JSON that has none."""
    text = {"$cond": [{"$eq": [{"$type": json}, "string"]}, json, ""]}
    is_such = {"$regexMatch": {"input": text, "regex": rf"^\s*{begins}"}}
    return {"$or": [{"$eq": [{"$type": json}, "binData"]}, is_such]}


def _of_mysql(value: MqlValue) -> MqlValue:
    """JSON's null is a text of that name; of a fraction MariaDB keeps how it was written."""
    kind = {"$type": value}
    branches = [
        {"case": {"$eq": [kind, "null"]}, "then": "null"},
        {"case": {"$in": [kind, _AS_WRITTEN]}, "then": {"$toString": value}},
    ]
    return {"$switch": {"branches": branches, "default": _failure(kind, Rules.MYSQL)}}


def _of_sqlite(value: MqlValue) -> MqlValue:
    kind = {"$type": value}
    branches = [
        {"case": {"$in": [kind, _VALUES_OF_SQLITE]}, "then": value},
        {"case": {"$eq": [kind, "bool"]}, "then": {"$toInt": value}},
    ]
    return {"$switch": {"branches": branches, "default": _failure(kind, Rules.SQLITE)}}


def _text(value: MqlValue, *, has_digits: bool) -> MqlValue:
    kind = {"$type": value}
    as_written = {"$toString": value}
    numbers = [
        {"case": {"$eq": [kind, "decimal"]}, "then": bind({"text": as_written}, lambda text: _plain(text, kind))},
        {"case": _is_plain_double(value), "then": float_text(value)},
    ]
    branches = [{"case": {"$in": [kind, _AS_WRITTEN]}, "then": as_written}, *(numbers if has_digits else [])]
    return {"$switch": {"branches": branches, "default": _failure(kind)}}


def _plain(text: MqlValue, kind: MqlValue) -> MqlValue:
    """Jsonb writes no exponent, as the server does for decimals of many zeros."""
    return {"$cond": [{"$regexMatch": {"input": text, "regex": r"^-?[0-9]+(\.[0-9]+)?\z"}}, text, _failure(kind)]}


def _is_plain_double(value: MqlValue) -> MqlValue:
    """Whether 15 digits say a double exactly, and without an exponent."""
    size = {"$abs": value}
    return {
        "$and": [
            {"$eq": [{"$type": value}, "double"]},
            {"$or": [{"$eq": [value, 0]}, {"$and": [{"$gte": [size, 0.0001]}, {"$lt": [size, 1e15]}]}]},
            {"$eq": [{"$toDouble": {"$toDecimal": value}}, value]},
        ]
    }


def _failure(kind: MqlValue, rules: Rules = Rules.POSTGRESQL) -> MqlValue:
    whose = {Rules.SQLITE: "SQLite", Rules.MYSQL: "MySQL"}.get(rules, "PostgreSQL")
    return failure(f"the text that {whose} writes is not known for JSON stored as", kind)


JSON_VALUES = {Function.JSON_VALUE: json_value, Function.JSON_LENGTH: json_length}
