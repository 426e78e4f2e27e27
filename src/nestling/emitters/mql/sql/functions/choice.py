"""Functions that choose one of their arguments, and functions about the kind of a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.constants import MqlValue, is_inline
from nestling.emitters.mql.sql.gaps import require_order
from nestling.emitters.mql.sql.nulls import bind, null_if_any
from nestling.ir.statements.expression import Call
from nestling.ir.statements.operators import Function, Rules

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer


def coalesce(node: Call, r: Renderer) -> MqlValue:
    """The first that is not NULL."""
    values = [r.value(argument) for argument in dict.fromkeys(node.arguments)]
    return {"$ifNull": values} if len(values) > 1 else values[0]


def extreme(node: Call, r: Renderer) -> MqlValue:
    """The greatest or least value; NULL if one is NULL, except in PostgreSQL, which ignores NULLs as the server does.

    If an integer equals a float, SQLite's max() returns the first and min() the last. The server returns the first, but puts
    constants last, unless they are bound.
    """
    require_order(*node.arguments)
    operator = "$max" if node.function is Function.GREATEST else "$min"
    values = {f"value{place}": r.value(argument) for place, argument in enumerate(node.arguments)}
    if node.rules is Rules.POSTGRESQL:
        return {operator: list(values.values())}
    maybe = [r.nullable(argument) for argument in node.arguments]

    def body(*found: MqlValue) -> MqlValue:
        unknown = [value for value, may in zip(found, maybe, strict=True) if may]
        in_turn = found[::-1] if node.rules is Rules.SQLITE and node.function is Function.LEAST else found
        return null_if_any(unknown, {operator: list(in_turn)})

    if node.rules is not Rules.SQLITE or len({argument.type.name for argument in node.arguments}) == 1:
        return bind(values, body)
    held = {f"{name}_": value for name, value in values.items() if is_inline(value)}
    found = bind({name: f"$${name}_" if f"{name}_" in held else value for name, value in values.items()}, body)
    return {"$let": {"vars": held, "in": found}} if held else found


def type_of(node: Call, r: Renderer) -> MqlValue:
    """SQLite's name for the class of the value."""
    classes = (
        ("real", "double", "decimal"),
        ("text", "string"),
        ("integer", "int", "long", "bool"),
        ("blob", "binData"),
    )

    def body(name: MqlValue) -> MqlValue:
        branches = [{"case": {"$in": [name, list(types)]}, "then": shown} for shown, *types in classes]
        return {"$switch": {"branches": branches, "default": "null"}}

    return bind({"type": {"$type": r.value(node.arguments[0])}}, body)


CHOICES = {
    Function.COALESCE: coalesce,
    Function.GREATEST: extreme,
    Function.LEAST: extreme,
    Function.TYPE_OF: type_of,
}
