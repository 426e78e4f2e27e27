"""Casts, and the affinities SQLite applies by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from nestling.emitters.mql.sql import numerals
from nestling.emitters.mql.sql.arithmetic import may_overflow
from nestling.emitters.mql.sql.constant_conversion import CASTS, affine, cast_constant
from nestling.emitters.mql.sql.constants import MqlValue, inline, is_inline, literal_value
from nestling.emitters.mql.sql.gaps import rendering_gap
from nestling.emitters.mql.sql.nulls import bind
from nestling.emitters.mql.sql.placeholder import ConvertedPlaceholder
from nestling.emitters.mql.sql.server_casts import server_cast, text_of_length
from nestling.ir.statements.expression import Cast, Coerce, Expression, Literal, Parameter
from nestling.ir.statements.operands import is_float, is_integer, is_mixed, is_text, of_numbers
from nestling.ir.statements.operators import Affinity, Rules
from nestling.ir.types import TypeName

if TYPE_CHECKING:
    from collections.abc import Callable

    from nestling.emitters.mql.sql.renderer import Renderer


def cast(node: Cast, r: Renderer) -> MqlValue:
    """The operand as the node's type, by the rules of its database."""
    if node.operand.type.name is TypeName.BOOLEAN and not is_mixed(node.operand):
        return _of_boolean(node, r)
    if node.rules is not Rules.SQLITE:
        is_null = isinstance(node.operand, Literal) and node.operand.value is None
        return None if is_null else server_cast(node, r)
    value = r.value(node.operand)
    if (
        is_inline(value) and node.type.name in CASTS
    ):  # the server would compute both branches of what it may convert, and fail
        return _cast_constant(node, literal_value(value))
    match node.type.name:
        case TypeName.INTEGER:
            return _by_class(node.operand, _to_integer, numerals.prefix_integer, r)
        case TypeName.FLOAT:
            return _by_class(node.operand, lambda number, _: {"$toDouble": number}, numerals.prefix_float, r)
        case TypeName.DECIMAL:
            return _by_class(node.operand, lambda number, _: number, numerals.prefix_as_written, r)
        case TypeName.ANY:
            return _by_class(node.operand, lambda number, _: number, numerals.prefix_number, r)
        case TypeName.BOOLEAN:
            return _by_class(
                node.operand, lambda number, _: _not_zero(number), lambda t: _not_zero(numerals.prefix_float(t)), r
            )
        case TypeName.TEXT:
            return _by_class(node.operand, _number_text, lambda text: text, r)
        case _:
            raise rendering_gap(f"CAST to {node.type} by SQLite")


def _cast_constant(node: Cast, value: object) -> MqlValue:
    if isinstance(value, ConvertedPlaceholder):
        return {"$literal": replace(value, casts=(*value.casts, node.type.name))}
    found = cast_constant(value, node.type.name)
    if isinstance(found, bytes):
        raise rendering_gap("a conversion of bytes to text")
    return {"$literal": found} if isinstance(node.operand, Parameter) else inline(found)


def coerce(node: Coerce, r: Renderer) -> MqlValue:
    """SQLite's affinity: constants at once, parameters when they are bound."""
    if isinstance(node.operand, Parameter):
        return {"$literal": coerced_parameter(node.operand, node.affinity, r)}
    value = r.value(node.operand)
    if is_inline(value):
        return inline(affine(literal_value(value), node.affinity))
    match node.affinity:
        case Affinity.NUMERIC:
            certain = of_numbers(node.operand)
            return value if certain else _coerced(node.operand, value, {"$eq": "string"}, numerals.number_or_text)
        case Affinity.BLOB:
            return value
        case Affinity.TEXT:
            return _coerced(node.operand, value, {"$ne": "string"}, number_text)
        case _:
            assert_never(node.affinity)


def coerced_parameter(parameter: Parameter, affinity: Affinity, r: Renderer) -> object:
    """The parameter's value with the affinity, or the placeholder that will apply it."""
    value = r.parameter(parameter)
    return replace(value, affinity=affinity) if isinstance(value, ConvertedPlaceholder) else affine(value, affinity)


def _coerced(
    operand: Expression, value: MqlValue, changed: dict[str, str], change: Callable[[MqlValue], MqlValue]
) -> MqlValue:
    """`change` for the values of one class; the others, NULL too, stay."""
    if "$eq" in changed:
        return bind({"value": value}, lambda x: {"$cond": [{"$eq": [{"$type": x}, "string"]}, change(x), x]})
    if of_numbers(operand):
        return bind({"value": value}, lambda x: {"$cond": [{"$lte": [x, None]}, None, _shown(operand, x)]})
    return bind({"value": value}, lambda x: {"$cond": [{"$isNumber": x}, change(x), x]})


def _of_boolean(node: Cast, r: Renderer) -> MqlValue:
    value = r.value(node.operand)
    match node.type.name:
        case TypeName.BOOLEAN:
            return value
        case TypeName.INTEGER | TypeName.DECIMAL if (
            node.rules is not Rules.POSTGRESQL or node.type.name is TypeName.INTEGER
        ):
            return {"$toInt": value}
        case TypeName.FLOAT:
            return {"$toDouble": value}
        case TypeName.TEXT if node.rules is Rules.POSTGRESQL:
            return text_of_length({"$toString": value}, node.type)
        case TypeName.TEXT:
            return {"$toString": {"$toInt": value}}
        case _:
            raise rendering_gap(f"CAST of a boolean to {node.type}")


def _by_class(
    operand: Expression,
    of_number: Callable[[MqlValue, Expression], MqlValue],
    of_text: Callable[[MqlValue], MqlValue],
    r: Renderer,
) -> MqlValue:
    """Apply `of_number` or `of_text` by the value's class, statically if its type determines that."""
    value = r.value(operand)
    if operand.type.name is TypeName.BYTES and not is_mixed(operand):
        raise rendering_gap("a conversion of bytes")

    def body(x: MqlValue) -> MqlValue:
        if of_numbers(operand):
            found = of_number(x, operand)
        elif is_text(operand):
            found = of_text(x)
        else:
            found = {"$cond": [{"$eq": [{"$type": x}, "string"]}, of_text(x), of_number(_number(x), operand)]}
        return {"$cond": [{"$lte": [x, None]}, None, found]} if r.nullable(operand) and found is not x else found

    return bind({"value": value}, body)


def _number(value: MqlValue) -> MqlValue:
    """A number stays, a boolean becomes 0 or 1. On anything else the statement fails, as no conversion would be right."""
    return {"$cond": [{"$isNumber": value}, value, {"$toInt": value}]}


def _to_integer(number: MqlValue, operand: Expression) -> MqlValue:
    is_kept = is_integer(operand) and not may_overflow(operand)
    return number if is_kept else numerals.integer_of_float(number)


def _not_zero(number: MqlValue) -> MqlValue:
    return {"$ne": [number, 0]}


def _number_text(number: MqlValue, operand: Expression) -> MqlValue:
    return _shown(operand, number)


def _shown(operand: Expression, number: MqlValue) -> MqlValue:
    if is_integer(operand) and not may_overflow(operand):
        return {"$toString": number}
    return numerals.float_text(number) if is_float(operand) else number_text(number)


def number_text(number: MqlValue) -> MqlValue:
    """A number as SQLite shows it."""
    return bind(
        {"number": number},
        lambda x: {"$cond": [{"$eq": [{"$type": x}, "double"]}, numerals.float_text(x), {"$toString": x}]},
    )
