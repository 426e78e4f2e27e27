"""MySQL's dates, moments and times of day as the texts it makes of them, with the digits of a second that are declared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from nestling.ir.fraction import MOST_DIGITS
from nestling.ir.statements.expression import NULL, Call, Case, Cast, Column, Expression, Literal, ScalarSubquery
from nestling.ir.statements.operands import is_mixed_time, is_text, operands
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import BSON_DIGITS, DATE, INTEGER, MOMENTS, TEXT, TIMES, TIMESTAMP, Type, TypeName
from nestling.planner.sql.gaps import StatementGap, statement_gap
from nestling.planner.sql.mysql.mixed_types import constant_moment
from nestling.planner.sql.mysql.zero_dates import dates_alone
from nestling.planner.sql.scope import Translation

SHOWN_AS_TEXT = TIMES | {TypeName.TIME}
"""Types whose values become such texts among texts."""
_DAY = "%Y-%m-%d"
_MOMENT = f"{_DAY} %H:%M:%S"
_WHOLE = len("0000-00-00 00:00:00")
_INSTEAD = "; write the form, `DATE_FORMAT(x, '%Y-%m-%d %H:%i:%s')`"


def text_of_time(value: Expression, translation: Translation) -> Expression:
    """A date, moment or time of day as MySQL writes it among texts."""
    if value.type.name is TypeName.DATE:
        time = dates_alone(value)
        return _formatted(time, _DAY) if is_mixed_time(value) else Cast(time, TEXT, Rules.MYSQL)
    digits = shown_digits(value, translation)
    if digits is None:
        is_clock = value.type.name is TypeName.TIME
        what = "a time of day" if is_clock else "a moment"
        raise statement_gap(
            f"{what} as a text, whose digits of a second are not declared{'' if is_clock else _INSTEAD}"
        )
    return _clock(value, digits) if value.type.name is TypeName.TIME else _moment(value, digits)


def _moment(value: Expression, digits: int) -> Expression:
    if digits == 0 and value.type.fraction_digits <= BSON_DIGITS:
        return _formatted(dates_alone(value), _MOMENT)
    if is_mixed_time(value):
        raise statement_gap(f"a moment with digits of a second that may be a zero date as a text{_INSTEAD}")
    length = _WHOLE + (digits + 1 if digits else 0)
    parts = (digits_shown(value), Literal(1, INTEGER), Literal(length, INTEGER))
    return Call(Function.SUBSTRING, parts, TEXT, Rules.MYSQL)


def digits_shown(moment: Expression) -> Expression:
    """The text of a moment with six digits of a second."""
    return Call(Function.MOMENT_TEXT, (moment,), TEXT, Rules.MYSQL)


def _formatted(time: Expression, pattern: str) -> Expression:
    return Call(Function.FORMAT_TIME, (time, Literal(pattern, TEXT)), TEXT, Rules.MYSQL)


def _clock(value: Expression, digits: int) -> Expression:
    """A time of day is stored as such a text without zeros at its end."""
    text = Cast(value, TEXT, Rules.MYSQL)
    if digits == 0:
        return text
    point, one, two = Literal(".", TEXT), Literal(1, INTEGER), Literal(2, INTEGER)
    whole, fraction = (Call(Function.PART, (text, point, place), TEXT, Rules.MYSQL) for place in (one, two))
    filled = Call(Function.PAD_END, (fraction, Literal(digits, INTEGER), Literal("0", TEXT)), TEXT, Rules.MYSQL)
    return Call(Function.CONCAT, (whole, point, filled), TEXT, Rules.MYSQL)


def shown_digits(value: Expression, translation: Translation) -> int | None:  # noqa: C901 - one case for each node
    """How many digits of a second MySQL writes of a moment or time of day; None where that is not known."""
    if value == NULL or value.type.name is TypeName.DATE:
        return 0
    match value:
        case Column(alias=alias, name=name):
            return _declared(alias, name, value.type, translation)
        case ScalarSubquery(relation=relation):
            return shown_digits(relation.columns[0], translation)
        case Case(branches=branches, default=default):
            return _most((*(then for _, then in branches), default), translation)
        case Call(function=Function.COALESCE | Function.LEAST | Function.GREATEST, arguments=parts):
            return _most(parts, translation)
        case Call(function=Function.ADD_TIME, arguments=(begun, Literal(value=unit), _)) if unit != "second":
            return shown_digits(begun, translation)
        case Call(function=Function.TIME_IN_ZONE, arguments=(_, moment)):
            return shown_digits(moment, translation)
        case Call(type=Type(name=TypeName.TIME)):
            return _of_moment_in(value, translation)
        case Call(function=Function.TRUNCATE_TIME):
            return 0
        case Call(function=Function.ROUND_TIME, arguments=(_, Literal(value=int() as digits), _)):
            return digits
        case _:
            return None


def _of_moment_in(value: Expression, translation: Translation) -> int | None:
    """The digits of the moment whose time of day it is."""
    while value.type.name not in TIMES:
        value = next(operands(value))
    return shown_digits(value, translation)


def _declared(alias: str, name: str, kind: Type, translation: Translation) -> int | None:
    """Those of the column; a model that declares none is sure of them only where there are six."""
    entity = translation.scans.get(alias)
    if entity is None or name not in entity:
        return translation.second_digits.get((alias, name))
    fraction = entity.attribute(name).fraction
    if fraction is None:
        return MOST_DIGITS if kind.fraction_digits == MOST_DIGITS else None
    return None if fraction.source_is_finer else fraction.digits


def _most(values: Sequence[Expression], translation: Translation) -> int | None:
    found = [shown_digits(value, translation) for value in values]
    return None if None in found else max((each for each in found if each is not None), default=0)


def note_digits(column: Column, source: Expression, translation: Translation) -> None:
    """Note the digits of a second of a column that was made of a moment or time of day."""
    note_most_digits(column, (source,), translation)


def note_most_digits(column: Column, sources: Sequence[Expression], translation: Translation) -> None:
    """The same of a column that has the values of several."""
    is_time = column.type.name in MOMENTS | {TypeName.TIME}
    digits = _most(sources, translation) if is_time and translation.dialect.rules is Rules.MYSQL else None
    if digits is not None:
        translation.second_digits[column.alias, column.name] = digits


def moment_of_text(text: Expression, translation: Translation) -> Expression | None:
    """The date or moment whose text an expression is, beside constants that are the text of one: `COALESCE(d, '2099-12-31')`.

    None where it is any other text, or where a moment is stored as a text of its own.
    """
    match text:
        case Literal(value=str() as constant):
            return constant_moment(constant)
        case Literal(value=None):
            return text
        case (
            Cast(operand=time, type=Type(name=TypeName.TEXT, numbers=()))
            | Call(function=Function.SUBSTRING, arguments=(Call(function=Function.MOMENT_TEXT, arguments=(time,)), *_))
            | Call(function=Function.FORMAT_TIME, arguments=(time, _))
        ):
            is_own = text == _text_or_none(time, translation)
            if time.type.fraction_digits > BSON_DIGITS or time.type.name not in TIMES:
                return None
            return time if is_own else _day_formatted(text, time)
        case Call(function=Function.COALESCE, arguments=parts):
            found_parts = _all(parts, translation)
            return None if found_parts is None else replace(text, arguments=found_parts, type=TIMESTAMP)
        case Case(branches=branches, default=default):
            values = _all((*(then for _, then in branches), default), translation)
            if values is None:
                return None
            *thens, last = values
            conditions = (when for when, _ in branches)
            return Case(tuple(zip(conditions, thens, strict=True)), last, TIMESTAMP)
        case _:
            return None


_CANONICAL = re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d{1,6})?)?", re.ASCII)
"""Texts of days and moments that sort as these do, in any collation."""


def are_texts_of_times(values: Sequence[Expression], translation: Translation) -> bool:
    """Whether all are texts of days and moments, at least one of them computed."""
    is_computed = any(is_text(value) and not isinstance(value, Literal) for value in values)
    return is_computed and all(_is_canonical(value, translation) for value in values)


def _is_canonical(text: Expression, translation: Translation) -> bool:
    if not is_text(text) or moment_of_text(text, translation) is None:
        return False
    constants = (constant for constant in _constants_in(text) if isinstance(constant, str))
    return all(_CANONICAL.fullmatch(constant) for constant in constants)


def _constants_in(text: Expression) -> Iterator[object]:
    """The constants that a value may be."""
    match text:
        case Literal(value=constant):
            yield constant
        case Call(function=Function.COALESCE, arguments=parts):
            yield from (constant for part in parts for constant in _constants_in(part))
        case Case(branches=branches, default=default):
            yield from (
                constant for part in (*(then for _, then in branches), default) for constant in _constants_in(part)
            )
        case _:
            return


def begins_with_constant(time: Expression) -> bool:
    """Whether it is an interval added to a constant, as in `'2024-01-31' + INTERVAL 1 DAY`: a text, if that is one."""
    match time:
        case Call(function=Function.ADD_TIME, arguments=(begun, *_)):
            return begins_with_constant(begun) or (isinstance(begun, Literal) and begun.type == TIMESTAMP)
        case _:
            return False


def _day_formatted(text: Expression, time: Expression) -> Expression | None:
    """The day of `DATE_FORMAT(at, '%Y-%m-%d')`."""
    is_zero = isinstance(time, Call) and time.function is Function.TIMESTAMP_OF
    is_day = text == _formatted(time, _DAY) and not is_zero
    return Call(Function.DATE_OF, (time,), DATE, Rules.MYSQL) if is_day else None


def _all(parts: Sequence[Expression], translation: Translation) -> tuple[Expression, ...] | None:
    found = tuple(moment_of_text(part, translation) for part in parts)
    return None if None in found else tuple(each for each in found if each is not None)


def _text_or_none(time: Expression, translation: Translation) -> Expression | None:
    with suppress(StatementGap):
        return text_of_time(time, translation)
    return None
