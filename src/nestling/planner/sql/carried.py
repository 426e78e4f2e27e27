"""Values kept as texts or floats that the source does not compare as these: intervals, addresses, ranges, single precision."""

from __future__ import annotations

import struct
from decimal import Decimal

from sqlglot import exp

from nestling.ir.expression import NULL, Column, Expression, Literal, Parameter
from nestling.ir.types import TypeName
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
    for each in found:
        if each.type.name is TypeName.INTERVAL:
            raise gap(f"{what} of intervals", node)
        if each.type.carried and each.type.name is not TypeName.FLOAT:
            raise gap(f"{what} of `{each.type.carried}`, which is kept as text and does not go by it", node)


def refuse_comparison(left: Expression, right: Expression, *, ordered: bool, node: exp.Expr | None = None) -> None:
    """Raise a gap where comparing what is kept is not comparing the values."""
    alike = left.type == right.type and left.type.carried in _ONE_TEXT and not ordered
    if alike and isinstance(left, Column) and isinstance(right, Column):
        return
    refuse_order("a comparison", node, left, right)
    for one, other in ((left, right), (right, left)):
        if one.type.carried and other.type != one.type and not _is_single(other):
            raise gap(
                "a comparison of `real`, whose single precision MongoDB has not, with what may have more digits", node
            )


def refuse_reckoning(what: str, node: exp.Expr | None, *found: Expression) -> None:
    """Raise a gap for what is reckoned with values that are kept in another way."""
    refuse_order(what, node, *found)
    if any(each.type.carried for each in found):
        raise gap(f"{what} of `real`, whose single precision MongoDB has not", node)


def refuse_groups(what: str, node: exp.Expr | None, *found: Expression) -> None:
    """Raise a gap where equal values may be kept as different texts."""
    refuse_order(what, node, *(each for each in found if each.type.carried not in _ONE_TEXT))


def _is_single(value: Expression) -> bool:
    """Whether it is a constant that single precision holds exactly, or takes its type from the other side."""
    if value == NULL or isinstance(value, Parameter):
        return True
    if not isinstance(value, Literal) or not isinstance(value.value, int | float | Decimal):
        return False
    number = float(value.value)
    short = float(f"{number:.{_DIGITS}g}") == value.value
    return short and abs(number) < 1e38 and struct.unpack("f", struct.pack("f", number))[0] == number
