"""Arguments of functions: bound once, and NULL when one is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.constants import MqlValue, is_inline, literal_value
from nestling.emitters.mql.sql.nulls import bind, null_if_any
from nestling.emitters.mql.sql.placeholder import ConvertedPlaceholder
from nestling.ir.statements.expression import Call, Expression

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_NAMES = ("first", "second", "third", "fourth")


def over(node: Call, r: Renderer, body: Callable[..., MqlValue], *, inside: bool = False) -> MqlValue:
    """`body` of the arguments, NULL when one of them is."""
    operands = {name: r.value(argument) for name, argument in zip(_NAMES, node.arguments, strict=False)}
    if any(is_inline(value) and literal_value(value) is None for value in operands.values()):
        return None
    maybe = [r.nullable(argument) for argument in node.arguments]

    def guarded(*found: MqlValue) -> MqlValue:
        unknown = [value for value, may in zip(found, maybe, strict=True) if may]
        return null_if_any(unknown, body(*found))

    return bind(operands, guarded, inside=inside)


def constant(expression: Expression, r: Renderer) -> object:
    """The value of a constant or bound parameter, or `...` if it is not constant."""
    value = r.value(expression)
    found = literal_value(value) if is_inline(value) else ...
    return ... if isinstance(found, ConvertedPlaceholder) else found


def or_null(value: Expression, r: Renderer) -> MqlValue:
    """The value as a place of an array or a field keeps it: NULL is null there, and not missing."""
    return {"$ifNull": [r.value(value), None]} if r.nullable(value) else r.value(value)
