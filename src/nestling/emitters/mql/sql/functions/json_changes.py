"""Changes of jsonb objects. On any other JSON the statement fails, as PostgreSQL does something else there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.constants import MqlValue, inline
from nestling.emitters.mql.sql.failures import failure
from nestling.emitters.mql.sql.functions.json_values import under
from nestling.emitters.mql.sql.nulls import absent, bind
from nestling.ir.statements.expression import Call, Expression, Literal
from nestling.ir.statements.operators import Function

if TYPE_CHECKING:
    from collections.abc import Callable

    from nestling.emitters.mql.sql.renderer import Renderer


def _merge(node: Call, r: Renderer) -> MqlValue:
    one, other = node.arguments
    return _of_objects([one, other], r, lambda first, second: _in_order({"$mergeObjects": [first, second]}))


def _without(node: Call, r: Renderer) -> MqlValue:
    json, *keys = node.arguments

    def body(value: MqlValue) -> MqlValue:
        for key in _texts(keys):
            value = {"$unsetField": {"field": inline(key), "input": value}}
        return value

    return _of_objects([json], r, body)


def _set(node: Call, r: Renderer) -> MqlValue:
    json, value, *keys = node.arguments
    names = _texts(keys)

    def body(object_: MqlValue) -> MqlValue:
        return bind({"new": r.value(value)}, lambda new: {"$cond": [absent(new), None, _under(object_, names, new)]})

    return _of_objects([json], r, body)


def _under(json: MqlValue, keys: list[str], value: MqlValue) -> MqlValue:
    """Put the value under the keys. Where an object on the way is missing, nothing changes; keys on the way keep their places."""
    key, *rest = keys
    if not rest:
        return _in_order({"$setField": {"field": inline(key), "input": json, "value": value}})
    inner = under([key], json)
    kind = {"$type": inner}
    changed = {"$setField": {"field": inline(key), "input": json, "value": _under(inner, rest, value)}}
    in_array = failure("no key can be set within JSON of type", kind)
    branches = [
        {"case": {"$eq": [kind, "object"]}, "then": changed},
        {"case": {"$eq": [kind, "array"]}, "then": in_array},
    ]
    return {"$switch": {"branches": branches, "default": json}}


def _in_order(json: MqlValue) -> MqlValue:
    """The object with its keys in the order of jsonb, the short ones first: objects are compared in the order of their keys."""
    told = {"k": "$$member.k", "v": "$$member.v", "bytes": {"$strLenBytes": "$$member.k"}}
    members = {"$map": {"input": {"$objectToArray": json}, "as": "member", "in": told}}
    ordered = {"$sortArray": {"input": members, "sortBy": {"bytes": 1, "k": 1}}}
    kept = {"$map": {"input": ordered, "as": "member", "in": {"k": "$$member.k", "v": "$$member.v"}}}
    return {"$arrayToObject": kept}


def _texts(keys: list[Expression]) -> list[str]:
    return [str(key.value) for key in keys if isinstance(key, Literal)]


def _of_objects(values: list[Expression], r: Renderer, body: Callable[..., MqlValue]) -> MqlValue:
    """Apply the body to objects; NULL gives NULL."""

    def checked(*found: MqlValue) -> MqlValue:
        kinds = [{"$type": each} for each in found]
        nulls = [{"case": absent(each), "then": None} for each in found]
        odd = [
            {
                "case": {"$ne": [kind, "object"]},
                "then": failure("only objects can be changed, not JSON stored as", kind),
            }
            for kind in kinds
        ]
        return {"$switch": {"branches": [*nulls, *odd], "default": body(*found)}}

    return bind({f"json{place}": r.value(each) for place, each in enumerate(values)}, checked)


JSON_CHANGES = {Function.JSON_MERGE: _merge, Function.JSON_WITHOUT: _without, Function.JSON_SET: _set}
