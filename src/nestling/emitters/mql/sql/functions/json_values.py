"""The text of what lies under the keys of JSON, where PostgreSQL writes no other: of texts, truth values and whole numbers.

What MongoDB keeps does not say how a fraction was written (`1.50`), nor does PostgreSQL write objects and arrays as they are
kept. A statement fails on these, and on JSON that is kept as its text because no document could be made of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.constants import Mql, inline
from nestling.emitters.mql.sql.failures import failure
from nestling.emitters.mql.sql.nulls import bind
from nestling.ir.expression import Call, Function, Literal

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_AS_WRITTEN = ["string", "int", "long", "bool", "null", "missing"]
"""What the server and PostgreSQL make the same text of, or NULL."""


def json_value(node: Call, r: Renderer) -> Mql:
    """The text; NULL for JSON's null, and where there is no such key or no object."""
    json, *keys = node.arguments
    names = [str(key.value) for key in keys if isinstance(key, Literal)]

    def body(json: Mql) -> Mql:
        text = bind({"value": _under(names, json)}, _text)
        return {"$cond": [_is_kept_as_text(json), _failure({"$type": json}), text]}

    return bind({"json": r.value(json)}, body)


def _under(keys: list[str], json: Mql) -> Mql:
    """`$getField`, unlike a path, does not look into the elements of an array."""
    for key in keys:
        json = {"$getField": {"field": inline(key), "input": json}}
    return json


def _is_kept_as_text(json: Mql) -> Mql:
    """Whether an object may be in it; other texts are JSON that has no keys."""
    text = {"$cond": [{"$eq": [{"$type": json}, "string"]}, json, ""]}
    begins = {"$regexMatch": {"input": text, "regex": r"^\s*\{"}}
    return {"$or": [{"$eq": [{"$type": json}, "binData"]}, begins]}


def _text(value: Mql) -> Mql:
    kind = {"$type": value}
    return {"$cond": [{"$in": [kind, _AS_WRITTEN]}, {"$toString": value}, _failure(kind)]}


def _failure(kind: Mql) -> Mql:
    return failure("no text is known, as PostgreSQL writes it, of JSON kept as", kind)


JSON_VALUES = {Function.JSON_VALUE: json_value}
