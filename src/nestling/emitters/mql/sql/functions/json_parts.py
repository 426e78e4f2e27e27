"""JSON made of values: objects and arrays. A value that is NULL is JSON's null there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.constants import MqlValue
from nestling.emitters.mql.sql.failures import failure
from nestling.emitters.mql.sql.functions.arguments import or_null
from nestling.emitters.mql.sql.nulls import bind
from nestling.ir.statements.expression import Call, Literal
from nestling.ir.statements.operators import Function
from nestling.ir.types import Type, TypeName

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_KEPT_AS_TEXT = ["binData", "string"]
"""Of JSON that is a text or that no document can be made of, its text is kept."""


def _object(node: Call, r: Renderer) -> MqlValue:
    pairs = zip(node.arguments[::2], node.arguments[1::2], strict=True)
    fields: dict[str, MqlValue] = {
        str(key.value): or_null(value, r) for key, value in pairs if isinstance(key, Literal)
    }
    return fields or {"$literal": {}}


def _array(node: Call, r: Renderer) -> MqlValue:
    return [or_null(value, r) for value in node.arguments]


def _part(node: Call, r: Renderer) -> MqlValue:
    """The value; JSON that is stored as text cannot be part of other JSON."""
    (value,) = node.arguments
    if value.type.name is TypeName.DECIMAL:
        return _number(r.value(value), value.type)
    if value.type.name is not TypeName.JSON:
        return r.value(value)
    what = "no document can be made of JSON stored as"

    def body(json: MqlValue) -> MqlValue:
        return {"$cond": [{"$in": [{"$type": json}, _KEPT_AS_TEXT]}, failure(what, {"$type": json}), json]}

    return bind({"json": r.value(value)}, body)


def _number(value: MqlValue, kind: Type) -> MqlValue:
    """The number as drivers read it: a float where it has digits after the point, else a whole number."""
    if (*kind.numbers, 0, 0)[1] > 0:
        return {"$toDouble": value}

    def body(number: MqlValue) -> MqlValue:
        return {"$cond": [{"$eq": [number, {"$trunc": [number, 0]}]}, {"$toLong": number}, {"$toDouble": number}]}

    return bind({"number": value}, body)


JSON_PARTS = {Function.JSON_OBJECT: _object, Function.JSON_ARRAY: _array, Function.JSON_PART: _part}
