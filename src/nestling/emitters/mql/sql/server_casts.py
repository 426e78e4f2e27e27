"""Casts by PostgreSQL's and MySQL's rules: both write the same texts, and the server is as strict as PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from bson import Decimal128

from nestling.emitters.mql.sql.comparison import is_wide
from nestling.emitters.mql.sql.constants import MqlValue, bson_value, inline
from nestling.emitters.mql.sql.failures import failure
from nestling.emitters.mql.sql.functions.json_values import json_number
from nestling.emitters.mql.sql.functions.time_values import instant
from nestling.emitters.mql.sql.gaps import rendering_gap
from nestling.emitters.mql.sql.nulls import bind
from nestling.emitters.mql.sql.numerals import plain_zero
from nestling.ir.statements.expression import ANY, Call, Cast, Literal, Parameter
from nestling.ir.statements.operands import is_mixed_time
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import KEPT_AS_TEXT, MOMENTS, NUMBERS, TEXTS, TIMES, Type, TypeName
from nestling.ir.value_forms.instants import read_instant

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_SHOWN_AS_KEPT = KEPT_AS_TEXT - {TypeName.INTERVAL}
"""Types whose stored texts are those that the source shows."""
_INSTEAD: Mapping[TypeName, str] = {
    TypeName.DECIMAL: "; give its digits, at most six after the point: `x::numeric(12, 2)::text`",
    TypeName.UUID: "; select the UUID itself, and let the application convert it to text",
    **dict.fromkeys(MOMENTS, "; give a format: `to_char(x, 'YYYY-MM-DD HH24:MI:SS')`"),
}
"""What to write instead of a text that the server cannot make."""
_TRUE = ["t", "tr", "tru", "true", "y", "ye", "yes", "on", "1"]
_FALSE = ["f", "fa", "fal", "fals", "false", "n", "no", "of", "off", "0"]
_BLANKS = " \t\n\v\f\r"
_READ_OF_TEXTS = NUMBERS | {TypeName.BOOLEAN}
_PLAIN = 6
"""Digits after the point up to which a Decimal128 is written without an exponent."""


def server_cast(node: Cast, r: Renderer) -> MqlValue:
    """The operand as the node's type."""
    if _is_number_in_json(node):
        assert isinstance(node.operand, Call)
        return json_number(node.operand, r)
    return _of_kind(node, r)


def _of_kind(node: Cast, r: Renderer) -> MqlValue:
    source, target = node.operand.type, node.type
    as_day = target.name is TypeName.DATE and is_wide(node.operand)
    value = instant(node.operand, r) if as_day else r.value(node.operand)
    found = None
    if node.rules is Rules.MYSQL and is_mixed_time(node.operand):
        found = value if (source.name, target.name) == (TypeName.DATE, TypeName.TIMESTAMP) else None
    elif isinstance(node.operand, Literal) and target.name in TIMES:
        found = _time_constant(node.operand.value, target)
    elif source.name in NUMBERS and target.name in NUMBERS:
        found = _within(_number(value, source, target), target, node.rules)
    elif source.name in _SHOWN_AS_KEPT and target.name in (source.name, *TEXTS):
        found = text_of_length(value, target)
    elif source.name is TypeName.INTEGER and target.name is TypeName.TEXT:
        found = text_of_length({"$toString": value}, target)
    elif source.name is TypeName.DECIMAL and target.name is TypeName.TEXT and _has_plain_text(source):
        found = text_of_length(_text_of_decimal(value, source), target)
    elif source.name in KEPT_AS_TEXT and target.name in _READ_OF_TEXTS and node.rules is Rules.POSTGRESQL:
        found = _truth_of_text(value) if target.name is TypeName.BOOLEAN else _number_of_text(value, target)
    elif as_day or not is_wide(node.operand):
        found = _time(value, source, target)
    if found is None:
        instead = _instead(node) if node.rules is Rules.POSTGRESQL else ""
        what = f"a conversion of {source} to {target} as {node.rules.value} does it{instead}"
        raise rendering_gap(what, move="" if instead else _move(source, target))
    return found


def _move(source: Type, target: Type) -> str:
    """What to do about a conversion of texts, and to texts."""
    if source.name in TEXTS and target.name in NUMBERS | TIMES:
        kind = "number" if target.name in NUMBERS else "date"
        return f"compare texts with texts, and give a {kind} as a parameter; or convert the text in the application"
    is_float = source.name is TypeName.FLOAT and target.name is TypeName.TEXT
    return "select the float by itself, and make the text in the application" if is_float else ""


def _instead(node: Cast) -> str:
    """What to write instead."""
    if node.type.name is TypeName.ARRAY and isinstance(node.operand, Literal) and node.operand.value == "{}":
        return "; compare the number of elements: `cardinality(x) = 0`"
    if isinstance(node.operand, Parameter) and node.operand.type == ANY:
        return f"; give the parameter's type: `:{node.operand.name}::{node.type}`"
    return _INSTEAD.get(node.operand.type.name, "") if node.type.name is TypeName.TEXT else ""


def _is_number_in_json(node: Cast) -> bool:
    """Whether it is the text of a JSON value, which MySQL compares with a number as a number."""
    inner = node.operand
    is_value = isinstance(inner, Call) and inner.function is Function.JSON_VALUE
    return is_value and node.rules is Rules.MYSQL and node.type.name is TypeName.FLOAT


def _has_plain_text(source: Type) -> bool:
    """Whether its numbers have exactly the digits of its scale, and the server writes them all without an exponent."""
    return bool(source.numbers) and (*source.numbers, 0)[1] <= _PLAIN


def _text_of_decimal(value: MqlValue, source: Type) -> MqlValue:
    """The decimal as text with all digits of its scale, also zeros at the end."""
    return {"$toString": {"$add": [value, Decimal128(Decimal((0, (0,), -(*source.numbers, 0)[1])))]}}


def _number(value: MqlValue, source: Type, target: Type) -> MqlValue:
    """To integer: floats half to even, decimals half away from zero. To decimal: floats by their 15 digits."""
    match target.name:
        case TypeName.FLOAT:
            return {"$toDouble": value}
        case TypeName.INTEGER if source.name is TypeName.INTEGER:
            return value
        case TypeName.INTEGER if source.name is TypeName.FLOAT:
            return {"$toLong": {"$round": [value, 0]}}
        case TypeName.INTEGER:
            return {"$toLong": half_away(value, 0)}
        case _:
            exact: MqlValue = value if source.name is TypeName.DECIMAL else {"$toDecimal": value}
            return exact if not target.numbers else half_away(exact, (*target.numbers, 0)[1])


def _within(number: MqlValue, target: Type, rules: Rules) -> MqlValue:
    """A number too large for the type: PostgreSQL's cast fails, MySQL takes the largest or smallest number of the type."""
    if target.name is not TypeName.DECIMAL or not target.numbers:
        return number
    precision, scale = (*target.numbers, 0)[:2]
    if rules is Rules.MYSQL:
        most, least = (Decimal128(f"{sign}{'9' * precision}E{-scale}") for sign in ("", "-"))

        def nearest(x: MqlValue) -> MqlValue:
            return {"$cond": [{"$lte": [x, None]}, None, {"$max": [least, {"$min": [x, most]}]}]}

        return bind({"number": number}, nearest)
    limit = Decimal128(f"1E{precision - scale}")
    what = f"too many digits before the point for {target}"
    return bind(
        {"number": number},
        lambda x: {"$cond": [{"$lt": [{"$abs": x}, limit]}, x, failure(what, {"$toString": x})]},
    )


def half_away(value: MqlValue, digits: int) -> MqlValue:
    """A decimal of so many digits behind the point."""
    half, minus = Decimal128(f"5E{-digits - 1}"), Decimal128(f"-5E{-digits - 1}")
    return bind(
        {"number": value},
        lambda x: plain_zero({"$trunc": [{"$add": [x, {"$cond": [{"$lt": [x, 0]}, minus, half]}]}, digits]}),
    )


def text_of_length(value: MqlValue, target: Type) -> MqlValue:
    """A length cuts off; blanks that fill a `char` up are not kept."""
    if target.numbers:
        value = bind(
            {"text": value}, lambda x: {"$cond": [{"$lte": [x, None]}, None, {"$substrCP": [x, 0, target.numbers[0]]}]}
        )
    return without_blanks(value) if target.is_char else value


def without_blanks(text: MqlValue) -> MqlValue:
    """The text without the blanks at its end."""
    return {"$rtrim": {"input": text, "chars": " "}}


def _number_of_text(value: MqlValue, target: Type) -> MqlValue:
    """The number of a text: surrounding blanks are ignored; a text that is no number is an error, as in the source."""
    trimmed = {"$trim": {"input": value}}
    match target.name:
        case TypeName.INTEGER:
            return {"$toLong": trimmed}
        case TypeName.FLOAT:
            return {"$toDouble": trimmed}
        case _:
            exact = _number({"$toDecimal": trimmed}, Type(TypeName.DECIMAL), target)
            return _within(exact, target, Rules.POSTGRESQL)


def _truth_of_text(value: MqlValue) -> MqlValue:
    """The truth value of a text in any case, with blanks around it, possibly abbreviated; other texts are an error."""

    def word(text: MqlValue) -> MqlValue:
        return {"$toLower": {"$trim": {"input": text, "chars": _BLANKS}}}

    def truth(word: MqlValue) -> MqlValue:
        false = {"$cond": [{"$in": [word, _FALSE]}, False, failure("no boolean", word)]}
        return {"$cond": [{"$in": [word, _TRUE]}, True, false]}

    return bind({"text": value}, lambda x: {"$cond": [{"$lte": [x, None]}, None, bind({"word": word(x)}, truth)]})


def _time_constant(value: object, target: Type) -> MqlValue | None:
    """A text in ISO form. Without an offset it is in UTC, which is assumed to be the session's time zone."""
    try:
        found = read_instant(value) if isinstance(value, str) else value
    except ValueError:
        return None
    if not isinstance(found, date):
        return None
    if not isinstance(found, datetime) or target.name is TypeName.DATE:
        found = datetime(found.year, found.month, found.day, tzinfo=UTC)
    return inline(
        bson_value(Literal(found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC).replace(tzinfo=None), target))
    )


def _time(value: MqlValue, source: Type, target: Type) -> MqlValue | None:
    if source.name is TypeName.DATE and target.name in TIMES:
        return value
    if source.name in MOMENTS and target.name is TypeName.DATE:
        return {"$dateTrunc": {"date": value, "unit": "day"}}
    if source.name in MOMENTS and target.name in MOMENTS:
        return value
    if source.name is TypeName.DATE and target.name is TypeName.TEXT:
        return text_of_length({"$dateToString": {"date": value, "format": "%Y-%m-%d"}}, target)
    return None
