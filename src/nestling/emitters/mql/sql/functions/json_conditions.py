"""Conditions on jsonb: `@>` and `?`. JSON that is a text or null is stored as its text, as PostgreSQL writes it.

A statement fails on JSON that is stored as text because it could not become a document.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING

from bson import Decimal128

from nestling.emitters.mql.sql.constants import MqlValue, inline
from nestling.emitters.mql.sql.failures import failure
from nestling.emitters.mql.sql.functions.json_values import under
from nestling.emitters.mql.sql.nulls import absent, bind
from nestling.ir.statements.expression import Call, Literal
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.value_forms.json_text import jsonb_value
from nestling.ir.value_forms.numeral import INT64

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer


def _contains(node: Call, r: Renderer) -> MqlValue:
    wanted = jsonb_value(_text(node))
    if node.rules is Rules.MYSQL:
        text = json.dumps(wanted, ensure_ascii=False) if wanted is None or isinstance(wanted, str) else ""
        return _of_json(node, r, lambda value: _is_within(value, wanted, _DEPTH), text)
    is_scalar = not isinstance(wanted, (dict, list))

    def asked(value: MqlValue) -> MqlValue:
        found = _holds(value, wanted)
        if not is_scalar:
            return found
        return {"$or": [found, {"$and": [{"$isArray": [value]}, _is_among(wanted, value)]}]}

    return _of_json(
        node, r, asked, json.dumps(wanted, ensure_ascii=False) if wanted is None or isinstance(wanted, str) else ""
    )


def _has(node: Call, r: Renderer) -> MqlValue:
    key = _text(node)
    if node.rules is Rules.MYSQL:
        return _has_path(node, key, r)

    def asked(value: MqlValue) -> MqlValue:
        is_key = {"$ne": [{"$type": {"$getField": {"field": inline(key), "input": value}}}, "missing"]}
        branches = [
            {"case": {"$eq": [{"$type": value}, "object"]}, "then": is_key},
            {"case": {"$isArray": [value]}, "then": {"$in": [inline(key), value]}},
        ]
        return {"$switch": {"branches": branches, "default": {"$eq": [value, inline(key)]}}}

    return _of_json(node, r, asked, json.dumps(key, ensure_ascii=False))


def _has_path(node: Call, key: str, r: Renderer) -> MqlValue:
    """MySQL's function: false if the path does not exist; NULL only for NULL."""
    column, _, *keys = node.arguments
    names = [*(str(each.value) for each in keys if isinstance(each, Literal)), key]
    what = "no condition can be checked on JSON stored as"

    def body(value: MqlValue) -> MqlValue:
        kind = {"$type": value}
        branches = [
            {"case": {"$eq": [kind, "binData"]}, "then": failure(what, kind)},
            {"case": absent(value), "then": None},
        ]
        return {"$switch": {"branches": branches, "default": {"$not": [_is_missing(under(names, value))]}}}

    return bind({"json": r.value(column)}, body)


_DEPTH = 3
"""Nesting depth of arrays that are searched for a value that is not an array."""


def _is_within(value: MqlValue, wanted: object, depth: int) -> MqlValue:
    """MySQL's JSON_CONTAINS: a value that is not an array may be in an array, wherever that is."""
    match wanted:
        case dict():
            parts = [
                _is_within({"$getField": {"field": inline(key), "input": value}}, each, _DEPTH)
                for key, each in wanted.items()
            ]
            found: MqlValue = {"$and": [{"$eq": [{"$type": value}, "object"]}, *parts]}
        case list():
            each_in = [_in_element(value, each, _DEPTH) for each in wanted]
            return {"$and": [{"$isArray": [value]}, *each_in]}
        case _:
            found = {"$in": [value, _forms(wanted)]}
    return {"$or": [found, {"$and": [{"$isArray": [value]}, _in_element(value, wanted, depth)]}]}


def _in_element(array: MqlValue, wanted: object, depth: int) -> MqlValue:
    """Whether one of the array's elements contains it."""
    items = {"$cond": [{"$isArray": [array]}, array, []]}
    name = f"item{depth}_"
    if depth == 0:
        kind = {"$type": {"$first": items}}
        return {
            "$cond": [
                {"$eq": [items, []]},
                False,
                failure("arrays are nested too deep to be searched, with elements of type", kind),
            ]
        }
    return {
        "$anyElementTrue": [{"$map": {"input": items, "as": name, "in": _is_within(f"$${name}", wanted, depth - 1)}}]
    }


def _text(node: Call) -> str:
    text = node.arguments[1]
    assert isinstance(text, Literal)
    return str(text.value)


def _of_json(node: Call, r: Renderer, asked: Callable[[MqlValue], MqlValue], alone: str) -> MqlValue:
    """Apply a condition to the value under the keys; NULL for NULL, and without a value.

    `alone`: the text of JSON that is a text or null and satisfies the condition.
    """
    column, _, *keys = node.arguments
    names = [str(key.value) for key in keys if isinstance(key, Literal)]
    what = "no condition can be checked on JSON stored as"

    def body(value: MqlValue) -> MqlValue:
        kind = {"$type": value}
        branches = [{"case": {"$eq": [kind, "binData"]}, "then": failure(what, kind)}]
        if names:
            found = bind({"part": under(names, value)}, lambda part: {"$cond": [_is_missing(part), None, asked(part)]})
        else:
            branches.append({"case": absent(value), "then": None})
            branches.append({"case": {"$eq": [kind, "string"]}, "then": {"$eq": [value, {"$literal": alone}]}})
            found = asked(value)
        return {"$switch": {"branches": branches, "default": found}}

    return bind({"json": r.value(column)}, body)


def _is_missing(value: MqlValue) -> MqlValue:
    return {"$eq": [{"$type": value}, "missing"]}


def _holds(value: MqlValue, wanted: object) -> MqlValue:
    """Whether one JSON value contains another: an object all its keys, an array its elements in any order, others are equal."""
    match wanted:
        case dict():
            parts = [
                _holds({"$getField": {"field": inline(key), "input": value}}, each) for key, each in wanted.items()
            ]
            return {"$and": [{"$eq": [{"$type": value}, "object"]}, *parts]}
        case list():
            return {"$and": [{"$isArray": [value]}, *(_is_among(each, value) for each in wanted)]}
        case _:
            return {"$in": [value, _forms(wanted)]}


def _is_among(wanted: object, array: MqlValue) -> MqlValue:
    """Whether an element of the array holds it."""
    items = {"$cond": [{"$isArray": [array]}, array, []]}
    if not isinstance(wanted, (dict, list)):
        return {"$or": [{"$in": [form, items]} for form in _forms(wanted)]}
    return {"$anyElementTrue": [{"$map": {"input": items, "as": "item_", "in": _holds("$$item_", wanted)}}]}


def _forms(wanted: object) -> list[MqlValue]:
    """The ways a number may be kept: as a float, or with its digits."""
    match wanted:
        case bool() | None | str():
            return [inline(wanted)]
        case int() if -INT64 <= wanted < INT64:
            return [inline(wanted)]
        case _:
            number = Decimal(str(wanted))
            floated = float(number)
            return [inline(Decimal128(number)), *([inline(floated)] if math.isfinite(floated) else [])]


JSON_CONDITIONS = {Function.JSON_CONTAINS: _contains, Function.JSON_HAS: _has}
