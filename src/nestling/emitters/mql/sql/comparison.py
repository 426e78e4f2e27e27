"""Brings the two sides of a comparison into a form that the server's order compares as SQL does.

That order is: numbers by value, then texts by code point, then bytes, then dates, which are SQL's classes. Anything else is
converted first: texts with collations, decimals compared with floats (SQL compares them as floats), timestamps finer than a
BSON date.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, assert_never

from bson import ObjectId

from nestling.emitters.mql.sql.constants import MqlValue, inline
from nestling.emitters.mql.sql.gaps import rendering_gap, require_order
from nestling.emitters.mql.sql.nulls import bind
from nestling.emitters.mql.sql.placeholder import ConvertedPlaceholder, Whole
from nestling.ir.conversions import given
from nestling.ir.reading import GapKind
from nestling.ir.statements.expression import (
    AttributeCast,
    Call,
    Case,
    Column,
    Compare,
    Expression,
    Literal,
    Parameter,
    Raw,
    ScalarSubquery,
)
from nestling.ir.statements.operands import is_float, is_mixed, is_mixed_time, is_text
from nestling.ir.statements.operators import Collation, Comparison, Function
from nestling.ir.storage.collations import BESIDE_EXACT
from nestling.ir.types import BSON_DIGITS, MOMENTS, NEVER_TEXT, TIMES, Type, TypeName
from nestling.ir.value_forms.instants import instant_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from nestling.emitters.mql.sql.renderer import Renderer

_WIDE_FORMAT = "%Y-%m-%dT%H:%M:%S.%L000"
_WHOLE = {
    **dict.fromkeys((Comparison.GREATER, Comparison.LESS_OR_EQUAL), Whole.BEFORE),
    **dict.fromkeys((Comparison.GREATER_OR_EQUAL, Comparison.LESS), Whole.AFTER),
}
LOWERED = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


@dataclass(frozen=True, slots=True)
class Sides:
    """The two sides, and which of them may be NULL."""

    left: MqlValue
    right: MqlValue
    nullable: tuple[bool, bool]


def sides(compare: Compare, r: Renderer) -> Sides:
    """Both sides of a comparison, ready for the server's operators."""
    pair = (compare.left, compare.right)
    if compare.operator.is_order:
        require_order(*pair)
    elif (found := _stored_uuids(*pair, r)) is not None:
        return Sides(*found, (r.nullable(compare.left), r.nullable(compare.right)))
    operators = (compare.operator, compare.operator.mirrored)
    left, right = (
        _side(one, other, operator, compare.collation, r)
        for one, other, operator in zip(pair, pair[::-1], operators[::-1], strict=True)
    )
    return Sides(left, right, (r.nullable(compare.left), r.nullable(compare.right)))


def _beside_digits(value: MqlValue) -> MqlValue:
    """The other side of a comparison with the digits of an ObjectId: a given ObjectId becomes its digits too."""
    match value:
        case {"$literal": ConvertedPlaceholder() as place}:
            return {"$literal": replace(place, id_as_text=True)}
        case {"$literal": ObjectId() as known}:
            return {"$literal": str(known)}
        case _:
            return value


def _stored_uuids(left: Expression, right: Expression, r: Renderer) -> tuple[MqlValue, MqlValue] | None:
    """Both sides of an equality between UUIDs and a constant as stored; None for other comparisons."""
    from nestling.emitters.mql.sql.uuids import beside_uuid

    found = beside_uuid(left, right, r), beside_uuid(right, left, r)
    return None if None in found else found


def _side(one: Expression, other: Expression, operator: Comparison, collation: Collation, r: Renderer) -> MqlValue:
    """One side; `operator` compares the other side with it."""
    if is_wide(one) or is_wide(other):
        given_as_kept = beside_wide(one, other) if isinstance(one, Parameter) else one
        return wide(given_as_kept, r, other.type if is_wide(other) else one.type)
    if is_float(other) and one.type.name is TypeName.DECIMAL:
        return _as_float(one, r)
    if isinstance(other, Raw) and other.operand.type.name is TypeName.OBJECT_ID:
        return _beside_digits(collated(one, collation, r))
    if may_be_text(one) and may_be_text(other):
        return collated(one, collation, r)
    return {"$literal": whole(r.compared(one), other, operator)} if isinstance(one, Parameter) else r.value(one)


def whole(value: object, beside: Expression, operator: Comparison) -> object:
    """The value or placeholder that `beside` is ordered with; if that is dates, it is no finer than a millisecond."""
    found = _WHOLE.get(operator)
    if found is None or beside.type.name not in TIMES or is_wide(beside):
        return value
    return (
        replace(value, whole=found) if isinstance(value, ConvertedPlaceholder) else given.at_millisecond(found)(value)
    )


def may_be_text(expression: Expression) -> bool:
    """Whether some value of it may be a text."""
    if isinstance(expression, Literal):
        return isinstance(expression.value, str)
    known = expression.type.name in NEVER_TEXT
    return not known or is_mixed(expression)


def is_wide(expression: Expression) -> bool:
    """Whether its values are timestamps kept as ISO text, finer than a BSON date."""
    if expression.type.name not in MOMENTS:
        return False
    micros = getattr(expression.value, "microsecond", 0) if isinstance(expression, Literal) else 0
    stored = _keeps_precision(expression) and expression.type.fraction_digits > BSON_DIGITS
    return stored or micros % 1000 != 0


def beside_wide(parameter: Parameter, other: Expression) -> Parameter:
    """Give the parameter the type of the stored timestamp that it is compared with, if that is finer than a BSON date."""
    return (
        replace(parameter, type=other.type)
        if is_wide(other) and other.type.fraction_digits > BSON_DIGITS
        else parameter
    )


_AS_KEPT = (Function.COALESCE, Function.GREATEST, Function.LEAST, Function.TIME_IN_ZONE, Function.TIME_OF_ZONE)


def _keeps_precision(expression: Expression) -> bool:
    """Whether it yields a column's values unchanged, as stored."""
    if isinstance(expression, Call):
        is_later = expression.function is Function.ADD_TIME and is_wide(expression.arguments[0])
        return is_later or expression.function in _AS_KEPT
    return isinstance(expression, Column | Parameter | Case | ScalarSubquery | AttributeCast)


def wide(expression: Expression, r: Renderer, kind: Type) -> MqlValue:
    """A date or timestamp as ISO text with six digits, which sorts correctly; with `Z` if the type has a zone."""
    zone = "Z" if kind.name is TypeName.TIMESTAMPTZ else ""
    if isinstance(expression, Literal) and hasattr(expression.value, "microsecond"):
        return instant_text(expression.value)  # type: ignore[arg-type]
    value = r.value(expression)
    if is_wide(expression):
        if expression.type.name is kind.name:
            return value
        return bind({"time": value}, _with_zone) if zone else {"$rtrim": {"input": value, "chars": "Z"}}
    if isinstance(expression, Literal) and isinstance(expression.value, str):
        return value

    def shown(time: MqlValue) -> MqlValue:
        return {"$dateToString": {"date": time, "format": _WIDE_FORMAT + zone}}

    if not is_mixed_time(expression):
        return shown(value)
    return bind({"time": value}, lambda x: {"$cond": [{"$eq": [{"$type": x}, "date"]}, shown(x), x]})


def _with_zone(text: MqlValue) -> MqlValue:
    """Append the sign of UTC, `Z`, to the text of a time; infinite times have none."""
    is_finite = {"$regexMatch": {"input": text, "regex": r"\.\d{6}$"}}
    return {"$cond": [is_finite, {"$concat": [text, "Z"]}, text]}


def _as_float(expression: Expression, r: Renderer) -> MqlValue:
    """SQLite's DECIMAL columns hold integers and floats, which compare exactly as they are."""
    if isinstance(expression, Literal):
        return inline(float(expression.value)) if expression.value is not None else None  # type: ignore[arg-type]
    value = r.value(expression)
    return {"$cond": [{"$eq": [{"$type": value}, "decimal"]}, {"$toDouble": value}, value]}


def collated(expression: Expression, collation: Collation, r: Renderer) -> MqlValue:
    """A value so that texts the collation takes for equal are equal."""
    match collation:
        case Collation.BINARY:
            return r.value(expression)
        case Collation.NOCASE:
            if isinstance(expression, Literal) and isinstance(expression.value, str):
                return inline(expression.value.translate(LOWERED))
            return _of_texts(expression, lambda text: {"$toLower": text}, r)
        case Collation.RTRIM:
            return _of_texts(expression, lambda text: {"$rtrim": {"input": text, "chars": " "}}, r)
        case Collation.UNICODE_CI:
            what = f"`{expression.name}`" if isinstance(expression, Column) else "texts"
            raise rendering_gap(
                f"a comparison of {what} regardless of case and accents, {BESIDE_EXACT}", GapKind.NOTIMPL
            )
        case _:
            assert_never(collation)


def _of_texts(expression: Expression, change: Callable[[MqlValue], MqlValue], r: Renderer) -> MqlValue:
    if is_text(expression) and not r.nullable(expression):
        return change(r.value(expression))
    return bind({"any": r.value(expression)}, lambda x: {"$cond": [{"$eq": [{"$type": x}, "string"]}, change(x), x]})
