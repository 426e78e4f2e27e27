"""Values kept as texts or floats that the source does not compare as these: intervals, addresses, ranges, single precision."""

from __future__ import annotations

import struct
from decimal import Decimal

from sqlglot import exp

from nestling.ir.canonical_texts import CANONICAL
from nestling.ir.expression import NULL, Column, Expression, Literal, Parameter
from nestling.ir.types import NAN, REAL, TypeName
from nestling.planner.sql.gaps import gap

_ONE_TEXT = frozenset(
    {
        "inet",
        "cidr",
        "macaddr",
        "macaddr8",
        "money",
        "int4range",
        "int8range",
        "daterange",
        "tsrange",
        "tstzrange",
        "pg_lsn",
    }
)
"""Types of PostgreSQL of which equal values have equal texts."""
_DIGITS = 6
"""Digits of a decimal that single precision tells apart."""


def refuse_order(what: str, node: exp.Expr | None, *found: Expression) -> None:
    """Raise a gap where the order of what is kept is not that of the values; that of single precision is."""
    if any(NAN in each.type.carried.split() for each in found):
        raise gap(f"{what} of numbers some of which are NaN, which MongoDB puts before all others, not behind", node)
    _refuse_texts(what, node, *found)


def _refuse_texts(what: str, node: exp.Expr | None, *found: Expression) -> None:
    """Raise a gap for what is kept as a text that equal values may not share."""
    for each in found:
        if each.type.name is TypeName.INTERVAL:
            raise gap(f"{what} of intervals", node)
        if each.type.carried and each.type.name is TypeName.TEXT and not each.type.is_char:
            raise gap(f"{what} of `{each.type.carried}`, which is kept as text and does not go by it", node)


def refuse_comparison(left: Expression, right: Expression, *, ordered: bool, node: exp.Expr | None = None) -> None:
    """Raise a gap where comparing what is kept is not comparing the values."""
    alike = left.type == right.type and left.type.carried in _ONE_TEXT and not ordered
    if alike and isinstance(left, Column) and isinstance(right, Column):
        return
    if not ordered and (_is_canonical(left, right) or _is_canonical(right, left)):
        return
    (refuse_order if ordered else _refuse_texts)("a comparison", node, left, right)
    for one, other in ((left, right), (right, left)):
        if _is_real(one) and not _is_real(other) and not _is_single(other):
            raise gap(
                "a comparison of `real`, whose single precision MongoDB has not, with what may have more digits", node
            )


def refuse_reckoning(what: str, node: exp.Expr | None, *found: Expression) -> None:
    """Raise a gap for what is reckoned with values that are kept in another way."""
    _refuse_texts(what, node, *found)
    if any(map(_is_real, found)):
        raise gap(f"{what} of `real`, whose single precision MongoDB has not", node)


def refuse_groups(what: str, node: exp.Expr | None, *found: Expression) -> None:
    """Raise a gap where equal values may be kept as different texts."""
    _refuse_texts(what, node, *(each for each in found if each.type.carried not in _ONE_TEXT))


def _is_canonical(value: Expression, beside: Expression) -> bool:
    """Whether it is written as values of the column are; what a parameter is given is looked at when it is bound."""
    form = CANONICAL.get(beside.type.carried) if isinstance(beside, Column) else None
    if form is None or isinstance(value, Parameter):
        return form is not None
    return isinstance(value, Literal) and isinstance(value.value, str) and form.fullmatch(value.value) is not None


def _is_real(value: Expression) -> bool:
    """Whether it is of PostgreSQL's `real`."""
    return REAL in value.type.carried.split()


def _is_single(value: Expression) -> bool:
    """Whether it is a constant that single precision holds exactly, or takes its type from the other side."""
    if value == NULL or isinstance(value, Parameter):
        return True
    if not isinstance(value, Literal) or not isinstance(value.value, int | float | Decimal):
        return False
    number = float(value.value)
    short = float(f"{number:.{_DIGITS}g}") == value.value
    return short and abs(number) < 1e38 and struct.unpack("f", struct.pack("f", number))[0] == number
