"""Compares values under keys of JSON with a constant by a path, which can use an index, followed by the exact expression.

The path matches every document for which the expression is true or fails: those with the text, with a number or truth value
that may have this text, with an object, and those without a value, as in JSON that is stored as text. Arrays are not matched,
because the compared text is never that of an array.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.field_conditions import Match, constant_of, field_of
from nestling.emitters.mql.sql.placeholder import ConvertedPlaceholder
from nestling.ir.statements.expression import Call, Cast, Column, Compare, Expression, InList, Literal, Parameter
from nestling.ir.statements.operators import Comparison, Function, Rules
from nestling.ir.types import TEXT

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_PLAIN_KEY = re.compile(r"[^.$\0][^.\0]*")
_NUMERAL = re.compile(r"-?[0-9]")
_TRUTH: dict[object, bool] = {"true": True, "false": False}


def narrowed(predicate: Expression, r: Renderer) -> Match | None:
    """The condition by the path; None if there is none, or it would exclude nothing."""
    match predicate:
        case Compare(operator=Comparison.EQUAL, left=left, right=right):
            return _among(left, (right,), r) or _among(right, (left,), r)
        case InList(operand=operand, items=items):
            return _among(operand, items, r)
        case _:
            return None


def _among(value: Expression, items: Sequence[Expression], r: Renderer) -> Match | None:
    path = _path(value, r)
    if path is None or not items:
        return None
    assert isinstance(value, Call)
    found = [_forms(item, value, r) for item in items]
    forms: list[object] = [None]
    types: list[str] = []
    for each in found:
        if each is None:
            return None
        forms += [form for form in each[0] if form not in forms]
        types += [kind for kind in each[1] if kind not in types]
    listed = [form for form in forms if isinstance(form, ConvertedPlaceholder) and form.listed]
    conditions: list[object] = [{path: {"$in": [form for form in forms if form not in listed]}}]
    conditions += [{path: {"$in": each}} for each in listed]
    conditions += [{path: {"$type": types}}] if types else []
    return {"$or": conditions} if len(conditions) > 1 else {path: {"$in": forms}}


def _path(value: Expression, r: Renderer) -> str | None:
    match value:
        case Call(function=Function.JSON_VALUE, arguments=(Column() as column, *keys)):
            names = [str(key.value) for key in keys if isinstance(key, Literal)]
            field = field_of(replace(column, type=TEXT), r)  # as if what lies in it were the field
            are_keys = all(key.type == TEXT for key in keys)
            is_plain = field is not None and are_keys and all(map(_PLAIN_KEY.fullmatch, names))
            return ".".join((field, *names)) if is_plain and field is not None else None
        case _:
            return None


def _constant(item: Expression, value: Call, r: Renderer) -> tuple[object] | None:
    """The value of a constant, or a placeholder for a parameter, possibly with a cast."""
    if isinstance(item, Cast) and isinstance(item.operand, Parameter):
        made = r.value(item)
        inner = made.get("$literal") if isinstance(made, dict) else None
        return (inner,) if isinstance(inner, ConvertedPlaceholder) else None
    return constant_of(item, value, r)


def _forms(item: Expression, value: Call, r: Renderer) -> tuple[list[object], list[str]] | None:
    """The values that may be equal to it, and the types of which any value may be."""
    found = _constant(item, value, r)
    if found is None:
        return None
    of_sqlite = value.rules is Rules.SQLITE
    constant = found[0]
    if isinstance(constant, ConvertedPlaceholder):
        return [replace(constant, no_array=True)], ["bool", "object"] if of_sqlite else ["number", "bool", "object"]
    if isinstance(constant, str):
        if constant.lstrip()[:1] in ("{", "["):
            return None
        truth = [_TRUTH[constant]] if constant in _TRUTH and not of_sqlite else []
        return [constant, *truth], ["number"] if _NUMERAL.match(constant) and not of_sqlite else []
    if isinstance(constant, bool) or not isinstance(constant, int | float) or not of_sqlite:
        return None
    return [constant, *([bool(constant)] if constant in (0, 1) else [])], []
