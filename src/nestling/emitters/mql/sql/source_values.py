"""Stored values as their own database sees them, and back: SQLite has no booleans, dates or UUIDs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bson import Decimal128

from nestling.emitters.mql.sql.comparison import wide
from nestling.emitters.mql.sql.constants import MqlValue
from nestling.emitters.mql.sql.failures import failure
from nestling.emitters.mql.sql.functions.fractions import of_fraction
from nestling.emitters.mql.sql.gaps import rendering_gap
from nestling.emitters.mql.sql.nulls import bind, unless_bytes
from nestling.emitters.mql.sql.object_ids import object_id
from nestling.emitters.mql.sql.placeholder import ConvertedPlaceholder
from nestling.emitters.mql.sql.server_casts import half_away, without_blanks
from nestling.emitters.mql.sql.years import year
from nestling.emitters.mql.write_constants import constant_of, stored_literal, stored_parameter
from nestling.ir.fraction import Fraction
from nestling.ir.statements.expression import AttributeCast, Cast, Coerce, Literal, Parameter, Raw
from nestling.ir.statements.operands import is_integer, is_mixed, is_mixed_time, is_text, may_be_nan
from nestling.ir.statements.operators import Affinity, Rules
from nestling.ir.types import BSON_DIGITS, MOMENTS, REAL, SINGLE, TEXT, TIMES, YEAR, Type, TypeName

if TYPE_CHECKING:
    from collections.abc import Callable

    from nestling.emitters.mql.sql.renderer import Renderer

_DAY = "%Y-%m-%d"
_FRACTIONS = {0: "", 1: ".%L000", 2: ".%L000", 3: ".%L"}


def raw(node: Raw, r: Renderer) -> MqlValue:
    """The value as the database itself holds it; a value that is not of its attribute's type is unchanged."""
    kind = node.operand.type
    mixed = is_mixed(node.operand)
    value = r.value(node.operand)
    match kind.name:
        case TypeName.OBJECT_ID:
            return _where(value, "objectId", lambda x: {"$toString": x}, mixed=mixed)
        case TypeName.BOOLEAN:
            return _where(value, "bool", lambda x: {"$toInt": x}, mixed=mixed)
        case TypeName.DATE:
            return _where(value, "date", lambda x: _formatted(x, _DAY), mixed=mixed)
        case TypeName.TIMESTAMP | TypeName.TIMESTAMPTZ if not mixed or kind.fraction_digits <= BSON_DIGITS:
            return _timestamp_text(value, kind, mixed=mixed)
        case TypeName.UUID | TypeName.JSON | TypeName.ARRAY | TypeName.TIMESTAMP | TypeName.TIMESTAMPTZ:
            if isinstance(node.operand, Literal):
                return str(node.operand.value)
            raise rendering_gap(f"the text of a {kind.name}")
        case _:
            return value


def _timestamp_text(value: MqlValue, kind: Type, *, mixed: bool) -> MqlValue:
    """`2024-01-31 10:00:00` with as many digits as the type says; in UTC with its offset where it has a zone."""
    zone = "+00:00" if kind.name is TypeName.TIMESTAMPTZ else ""
    if kind.fraction_digits <= BSON_DIGITS:
        shape = f"{_DAY} %H:%M:%S{_FRACTIONS[kind.fraction_digits]}{zone}"
        text = _where(value, "date", lambda x: _shown(x, shape), mixed=mixed)
        return unless_bytes(text) if mixed else text
    spaced: MqlValue = {"$replaceOne": {"input": value, "find": "T", "replacement": " "}}
    return {"$replaceOne": {"input": spaced, "find": "Z", "replacement": zone}} if zone else spaced


def _shown(value: MqlValue, shape: str) -> MqlValue:
    """Format a date by a shape. Where the shape ends with seconds, milliseconds other than 0 are shown too, as drivers do."""
    if "%S" not in shape or "%L" in shape:
        return _formatted(value, shape)
    chosen = {"$cond": [{"$eq": [{"$millisecond": value}, 0]}, shape, shape.replace("%S", "%S.%L000")]}
    return {"$dateToString": {"date": value, "format": chosen}}


def _formatted(value: MqlValue, shape: str) -> MqlValue:
    return {"$dateToString": {"date": value, "format": shape}}


def _where(value: MqlValue, name: str, change: Callable[[MqlValue], MqlValue], *, mixed: bool) -> MqlValue:
    if not mixed:
        return change(value)
    return bind({"value": value}, lambda x: {"$cond": [{"$eq": [{"$type": x}, name]}, change(x), x]})


def stored(node: AttributeCast, r: Renderer) -> MqlValue:
    """The value as an attribute of the type keeps it; another database than SQLite converts as its casts do."""
    if isinstance(node.operand, Parameter):
        return {"$literal": _stored_parameter(node.operand, node, r)}
    is_constant = isinstance(node.operand, Literal) and node.rules is not Rules.SQLITE
    is_null = node.operand == Literal(None, node.operand.type)
    if isinstance(node.operand, Literal) and (is_constant or node.operand.type != node.type) and not is_null:
        return {"$literal": stored_literal(node.operand.value, node)}
    is_alike = node.operand.type == node.type and not (is_mixed(node.operand) or node.numeric)
    found = r.value(node.operand) if is_alike or is_null else _computed(node, r)
    if is_alike and node.type.name is TypeName.DECIMAL and node.rules is not Rules.SQLITE and not is_null:
        found = {"$toDecimal": found}  # one of several values that became one may be a whole number
    if node.numbered and not is_null:
        found = _number_not_asked(found)
    if node.rules is Rules.POSTGRESQL and node.type.is_without_nan and may_be_nan(node.operand):
        found = _no_nan(found, node.type)
    return found if node.fraction is None or is_null else _of_fraction(found, node, node.fraction)


def _number_not_asked(number: MqlValue) -> MqlValue:
    """A new row's number, which must not be 0, with which MySQL requests the next one."""
    what = "a value cannot be stored that MySQL would replace by the next number"
    return bind({"number": number}, lambda x: {"$cond": [{"$eq": [x, 0]}, failure(what, {"$toString": x}), x]})


def _no_nan(value: MqlValue, kind: Type) -> MqlValue:
    """The number, which is not NaN; else the statement fails."""
    said = failure(f"a value cannot be stored as {kind}", {"$toString": value})
    return bind({"number": value}, lambda x: {"$cond": [{"$eq": [x, float("nan")]}, said, x]})


def _of_fraction(value: MqlValue, node: AttributeCast, fraction: Fraction) -> MqlValue:
    """The time with as many digits of a second as the attribute keeps."""
    if node.type.name not in MOMENTS or node.type.fraction_digits > BSON_DIGITS:
        raise rendering_gap(
            f"storing a computed {node.type} where no more than {fraction.digits} digits of a second are kept"
        )
    return _where(value, "date", lambda x: of_fraction(x, fraction, node.rules), mixed=is_mixed_time(node.operand))


def _computed(node: AttributeCast, r: Renderer) -> MqlValue:
    if node.type.subtype:
        raise rendering_gap(f"storing a computed value as {node.type}")
    if node.type.name is TypeName.OBJECT_ID:
        return bind({"text": r.value(Coerce(node.operand, Affinity.TEXT))}, object_id)
    if node.rules is Rules.SQLITE:
        return _stored_by_sqlite(node, r)
    is_carried = node.type.carried and node.type.name is TypeName.TEXT and not node.type.is_char
    if not {REAL, SINGLE}.isdisjoint(node.type.carried.split()) or is_carried:
        raise rendering_gap(f"storing a computed value as {node.type}")
    if node.type.fraction_digits > BSON_DIGITS:
        if node.operand.type.name not in TIMES:
            raise rendering_gap(f"storing what has no type as {node.type}")
        return wide(node.operand, r, node.type)
    if node.type.carried == YEAR:
        return year(node, r)
    if node.type.name is TypeName.BOOLEAN and is_integer(node.operand) and node.rules is Rules.MYSQL:
        return bind({"number": r.value(node.operand)}, _truth)
    return _within(node, r) if node.type.numbers else r.value(Cast(node.operand, node.type, node.rules))


def _truth(number: MqlValue) -> MqlValue:
    """The truth a TINYINT(1) has as 1 or 0; the statement fails on another number, which only the source keeps there."""
    branches: list[MqlValue] = [
        {"case": {"$in": [number, [0, 1]]}, "then": {"$eq": [number, 1]}},
        {"case": {"$lte": [number, None]}, "then": None},
    ]
    other = failure("a value cannot be stored as boolean", {"$toString": number})
    return {"$switch": {"branches": branches, "default": other}}


def _within(node: AttributeCast, r: Renderer) -> MqlValue:
    """The value as the type stores it; the statement fails if it is too long or too large."""
    kind, numbers = node.type, (*node.type.numbers, 0)
    what = f"a value cannot be stored as {kind}"
    match kind.name:
        case TypeName.TEXT:
            text = node.operand if is_text(node.operand) else Cast(node.operand, TEXT, node.rules)
            length = numbers[0]
            cut = bind(
                {"text": r.value(text)},
                lambda x: {
                    "$cond": [
                        {"$lte": [{"$strLenCP": {"$ifNull": [without_blanks(x), ""]}}, length]},
                        {"$cond": [{"$lte": [x, None]}, None, {"$substrCP": [x, 0, length]}]},
                        failure(what, x),
                    ]
                },
            )
            return without_blanks(cut) if kind.is_char else cut
        case TypeName.DECIMAL:
            limit = Decimal128(f"1E{numbers[0] - numbers[1]}")
            return bind(
                {"number": half_away(r.value(Cast(node.operand, Type(kind.name), node.rules)), numbers[1])},
                lambda x: {"$cond": [{"$lt": [{"$abs": x}, limit]}, x, failure(what, {"$toString": x})]},
            )
        case _:
            return r.value(Cast(node.operand, kind, node.rules))


def _stored_parameter(parameter: Parameter, node: AttributeCast, r: Renderer) -> object:
    """Convert the parameter like one that is stored directly, whatever happens to the row."""
    value = r.environment.parameter(parameter.name)
    if isinstance(value, ConvertedPlaceholder):
        return stored_parameter(parameter.name, node)
    return constant_of(value, node)


def _stored_by_sqlite(node: AttributeCast, r: Renderer) -> MqlValue:
    """Convert by SQLite's affinity. A value that reads back as a truth value, date or timestamp is stored as such."""
    kind = node.type
    match kind.name:
        case TypeName.TEXT:
            return r.value(Coerce(node.operand, Affinity.TEXT))
        case TypeName.ANY | TypeName.BYTES | TypeName.ENUM:
            return r.value(node.operand)
        case TypeName.FLOAT if not node.numeric:
            number = r.value(Coerce(node.operand, Affinity.NUMERIC))
            return bind({"number": number}, lambda x: {"$cond": [{"$isNumber": x}, _to(x, "double"), x]})
        case _:
            number = r.value(Coerce(node.operand, Affinity.NUMERIC))
            return _stored_number(bind({"number": number}, _whole_if_it_is), kind, node.among)


def _stored_number(kept: MqlValue, kind: Type, among: str) -> MqlValue:
    match kind.name:
        case TypeName.INTEGER | TypeName.DECIMAL | TypeName.FLOAT:
            return kept
        case TypeName.BOOLEAN:
            return bind({"kept": kept}, lambda x: {"$cond": [{"$in": [x, [0, 1]]}, {"$eq": [x, 1]}, x]})
        case TypeName.DATE:
            return bind({"kept": kept}, lambda x: _read_back(x, _DAY, among))
        case TypeName.TIMESTAMP if kind.fraction_digits in (0, 3):
            shape = f"{_DAY} %H:%M:%S{_FRACTIONS[kind.fraction_digits]}"
            return bind({"kept": kept}, lambda x: _read_back(x, shape, among))
        case _:
            raise rendering_gap(f"storing a computed value as {kind}")


def _whole_if_it_is(number: MqlValue) -> MqlValue:
    """A float that is a 64-bit integer becomes one."""
    not_least = {"$gt": [number, {"$literal": -(2.0**63)}]}  # which SQLite keeps a float
    is_whole = {"$and": [{"$eq": [{"$type": number}, "double"]}, not_least, {"$eq": [_to(number, "long"), number]}]}
    return {"$cond": [is_whole, _to(number, "long"), number]}


def _to(value: MqlValue, name: str) -> MqlValue:
    return {"$convert": {"input": value, "to": name, "onError": None}}


def _read_back(text: MqlValue, shape: str, among: str) -> MqlValue:
    """The date a text is, if that date's text is this one; where all others are dates, one of finer digits fails."""
    is_text = {"$eq": [{"$type": text}, "string"]}
    read = {"$dateFromString": {"dateString": {"$cond": [is_text, text, None]}, "onError": None}}
    other = text
    if among:
        is_finer = {"$regexMatch": {"input": {"$cond": [is_text, text, ""]}, "regex": r"\.\d{4}"}}
        what = f"`{among}` keeps milliseconds and does not accept"
        other = {"$cond": [is_finer, failure(what, text), text]}
    return bind({"time": read}, lambda x: {"$cond": [{"$eq": [_shown(x, shape), text]}, x, other]})
