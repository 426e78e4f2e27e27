"""Values of two kinds between which MySQL converts in a special way: gaps, except for texts that are times of day or bytes."""

from __future__ import annotations

import re
from dataclasses import replace

from nestling.ir.reading import Gap, GapKind
from nestling.ir.statements.expression import NULL, Expression, Literal
from nestling.ir.statements.operands import is_text
from nestling.ir.types import DURATION, TIMES, YEAR, Type, TypeName
from nestling.ir.value_forms.instants import refuse_offset
from nestling.ir.value_forms.time_text import mysql_time
from nestling.ir.value_forms.two_digit_years import full_year
from nestling.planner.sql.gaps import StatementGap, statement_gap
from nestling.planner.sql.literals import typed_literal

TEXTS_AMONG_OTHERS = TIMES | {TypeName.TIME, TypeName.JSON}
"""Types whose values become texts among others, in MySQL's own form."""
_SHORT = 2
"""Digits of a year that says no century."""


def _other(one: Expression, other: Expression, name: TypeName) -> str:
    return str((one if other.type.name is name else other).type.name)


def refuse_own(expression: Expression, other: Expression) -> None:
    """Raise the gap of two types between which MySQL converts in a way of its own."""
    if TypeName.JSON in (expression.type.name, other.type.name) and expression.type.name is not other.type.name:
        raise statement_gap(f"a comparison of JSON with {_other(expression, other, TypeName.JSON)}")
    if expression.type.name is TypeName.TIME and other.type.name not in (TypeName.TIME, TypeName.TEXT, TypeName.ANY):
        raise statement_gap(f"a comparison of a time of day with {other.type.name}")


def beside_years(left: Expression, right: Expression) -> tuple[Expression, Expression]:
    """Two sides of a comparison: a number of two digits beside a YEAR is the year it says."""
    return _beside_year(left, right), _beside_year(right, left)


def _beside_year(expression: Expression, other: Expression) -> Expression:
    if other.type.carried != YEAR:
        return expression
    if isinstance(expression, Literal) and isinstance(expression.value, str) and len(expression.value) <= _SHORT:
        raise statement_gap("a comparison of YEAR with a text of two digits")
    if isinstance(expression, Literal) and isinstance(expression.value, int):
        return replace(expression, value=full_year(expression.value))
    return expression


def beside_own(expression: Expression, other: Expression) -> Expression | None:
    """A text beside a time of day or bytes, as one of these; None beside anything else."""
    if other.type.name is TypeName.TIME and expression.type.name is not TypeName.TIME and expression != NULL:
        return _beside_time(expression, other.type)
    if other.type.name is TypeName.BYTES and is_text(expression) and expression != NULL:
        return _beside_bytes(expression, other.type)
    return None


def _beside_bytes(expression: Expression, wanted: Type) -> Expression:
    """A text beside bytes, as those it has in UTF-8."""
    if isinstance(expression, Literal) and isinstance(expression.value, str):
        return Literal(expression.value.encode(), wanted)
    raise statement_gap("a comparison of bytes with a text that is not a constant; pass it as a parameter")


def _beside_time(expression: Expression, wanted: Type) -> Expression:
    """A text beside a time of day, as one."""
    if isinstance(expression, Literal) and isinstance(expression.value, str):
        found = typed_literal(expression.value, Type(TypeName.TIME))
        if isinstance(found, Literal):
            _require_kept(str(found.value), wanted)
            return found
    raise statement_gap(f"a comparison of a time of day with {expression.type.name}")


def _require_kept(text: str, wanted: Type) -> None:
    """Raise the gap of a time that the column it is compared with does not keep."""
    try:
        mysql_time(text, is_duration=wanted.carried == DURATION)
    except ValueError as problem:
        raise _input_gap(problem) from None


_WITHOUT_ZEROS = re.compile(r" *(\d{4})-(\d\d?)-(\d\d?)(?:[ T](\d\d?):(\d\d?)(?::(\d\d?(?:\.\d{1,6})?))?)? *", re.ASCII)
"""A day or moment whose numbers may lack a zero in front: `2024-1-9 8:05`."""


def constant_moment(text: str) -> Literal | None:
    """The day or moment of a constant as MySQL reads it, also `2024-1-9`; None for a text that is none, and for other forms."""
    require_no_offset(text)
    made = typed_literal(with_all_zeros(text), Type(TypeName.TIMESTAMP))
    return made if isinstance(made, Literal) else None


def with_all_zeros(text: str) -> str:
    """The text of a day or moment with two digits for each of its numbers; any other text as it is."""
    found = _WITHOUT_ZEROS.fullmatch(text)
    if found is None:
        return text
    year, month, day, *clock = (_of_two_digits(part or "0") for part in found.groups())
    return f"{year}-{month}-{day} {':'.join(clock)}" if found[4] else f"{year}-{month}-{day}"


def _of_two_digits(number: str) -> str:
    return f"0{number}" if len(number.partition(".")[0]) == 1 else number


def require_no_offset(text: str) -> None:
    """Raise the gap of a moment with an offset."""
    try:
        refuse_offset(text)
    except ValueError as problem:
        raise _input_gap(problem) from None


def _input_gap(problem: ValueError) -> StatementGap:
    return StatementGap(Gap(GapKind.INPUT, ": ".join(problem.args)))
