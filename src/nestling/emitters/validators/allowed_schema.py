"""Allowed values of an attribute as `$jsonSchema`, which compares numbers of all BSON types by their exact value."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from nestling.emitters.validators.bson_types import Schema, bson_type
from nestling.ir.constraints.allowed import Allowed, Scalar
from nestling.ir.types import Type, TypeName
from nestling.ir.value_forms.decimal128 import to_decimal128


def allowed_schema(schema: Schema, allowed: Allowed | None, types: Sequence[Type]) -> Schema:
    """The schema of these types, narrowed to allowed values; a number that had to become text passes."""
    if allowed is None:
        return schema
    if not allowed.values:
        narrowed = {**_lengths(allowed), **_bounds(allowed, types)}
        return {**schema, "allOf": [narrowed]} if schema.keys() & narrowed.keys() else {**schema, **narrowed}
    values = dict.fromkeys(map(float, allowed.values)) if types[0].name is TypeName.FLOAT else allowed.values
    listed: Schema = {"enum": [_bson(value, types) for value in values]}
    may_be_text = types[0].name is not TypeName.TEXT and "string" in schema.get("bsonType", ())  # type: ignore[operator]
    return {"anyOf": [listed, bson_type("string")]} if may_be_text else listed


def _bson(value: Scalar | float, types: Sequence[Type]) -> object:
    """A constant as BSON: a double for doubles; otherwise a Decimal128 if no double equals it."""
    if not isinstance(value, Decimal):
        return value
    return float(value) if types[0].name is TypeName.FLOAT or Decimal(float(value)) == value else to_decimal128(value)


def _lengths(allowed: Allowed) -> Schema:
    ends = {"minLength": allowed.minimum_length, "maxLength": allowed.maximum_length}
    return {name: end for name, end in ends.items() if end is not None}


def _bounds(allowed: Allowed, types: Sequence[Type]) -> Schema:
    """The range. NaN is not below the minimum, so it passes if there is no maximum; an integer is never NaN.

    For a bare `not` the server does not report the limit and the value; for the minimum next to it, it does.
    """
    least, most = allowed.minimum, allowed.maximum
    upper = {"maximum": _bson(most, types)} if most is not None else {}
    upper |= {"exclusiveMaximum": True} if allowed.exclusive_maximum else {}
    if least is None:
        return {**upper}
    lower = {"minimum": _bson(least, types)} | ({"exclusiveMinimum": True} if allowed.exclusive_minimum else {})
    if upper or all(kind.name is TypeName.INTEGER for kind in types):
        return {**lower, **upper}
    below = {"maximum": _bson(least, types)} | ({} if allowed.exclusive_minimum else {"exclusiveMaximum": True})
    return {"anyOf": [lower, {"not": {**bson_type("number"), **below}}]}
