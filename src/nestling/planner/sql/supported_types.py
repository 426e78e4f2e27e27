"""What may be ordered, distinguished, compared and used in arithmetic in its stored form: decided here by type, else a gap.

Some values are stored as texts or floats that the source does not compare as these: intervals, addresses, ranges, single
precision. Others MongoDB orders in its own way.
"""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import assert_never

from sqlglot import exp

from nestling.ir.statements.expression import NULL, Call, Column, Expression, Literal, Parameter
from nestling.ir.statements.operands import may_be_nan
from nestling.ir.statements.operators import Function
from nestling.ir.types import DURATION, JSONB, MAY_BE_ARRAYS, NAN, REAL, SET, TIMETZ, TypeName, is_text_apart
from nestling.ir.value_forms.canonical_texts import CANONICAL
from nestling.planner.sql.gaps import statement_gap

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
        TIMETZ,
        DURATION,
    }
)
"""Types kept as texts of which equal values have equal ones."""
_JSON_TEXTS = "JSON, which the source compares as text, while only its value is stored"
_DIGITS = 6
"""Digits of a decimal that single precision tells apart."""


def refuse_order(what: str, node: exp.Expr | None, *found: Expression) -> None:
    """Raise a gap where the order of what is kept is not that of the values; that of single precision is."""
    for each in found:
        if (why := _unordered(each.type.name)) and each != NULL:
            raise statement_gap(f"{what} of {why}", node)
    refuse_nan(what, node, *found)
    _refuse_texts(what, node, *found)


def refuse_nan(what: str, node: exp.Expr | None, *found: Expression) -> None:
    """Raise a gap for an order in which NaN may be: a column holds it, or a constant is it."""
    if any(NAN in each.type.carried.split() or (isinstance(each, Literal) and may_be_nan(each)) for each in found):
        raise statement_gap(
            f"{what} of numbers that include NaN, which MongoDB sorts before all others, not after", node
        )


def refuse_rank(node: exp.Expr, found: Expression) -> None:
    """Raise a gap where rows are put in an order that is not that in which values are compared."""
    if found.type.carried == SET:
        raise statement_gap("an order of SET, which follows the position of its labels", node)


def _unordered(kind: TypeName) -> str:
    """What is not ordered as the source orders it, in words; empty for what is, or is refused where more is known of it."""
    match kind:
        case TypeName.JSON:
            return "JSON"
        case TypeName.ARRAY:
            return "arrays, which MongoDB sorts by their least or greatest element"
        case TypeName.GEOMETRY:
            return "geometries, which are stored as they are read"
        case (
            TypeName.BOOLEAN | TypeName.INTEGER | TypeName.DECIMAL | TypeName.FLOAT | TypeName.UUID | TypeName.OBJECT_ID
            | TypeName.TEXT | TypeName.ENUM | TypeName.BITS | TypeName.DATE | TypeName.TIME | TypeName.TIMESTAMP
            | TypeName.TIMESTAMPTZ | TypeName.BYTES | TypeName.INTERVAL | TypeName.ANY
        ):  # fmt: skip
            return ""
        case _:
            assert_never(kind)


def _refuse_texts(what: str, node: exp.Expr | None, *found: Expression) -> None:
    """Raise a gap for what is kept as a text that equal values may not share."""
    for each in found:
        if each.type.name is TypeName.INTERVAL:
            is_difference = isinstance(each, Call) and each.function is Function.TIME_BETWEEN
            move = "; take the seconds, `extract(epoch FROM a - b)`" if is_difference else ""
            raise statement_gap(f"{what} of intervals{move}", node)
        if is_text_apart(each.type):
            raise statement_gap(
                f"{what} of `{each.type.carried}`, stored as text, which neither sorts nor compares as its values do",
                node,
            )


def refuse_comparison(left: Expression, right: Expression, *, ordered: bool, node: exp.Expr | None = None) -> None:
    """Raise a gap where comparing what is kept is not comparing the values."""
    if any(isinstance(each, Call) and each.type.name is TypeName.ARRAY for each in (left, right)):
        raise statement_gap("a comparison with a constructed array", node)
    if _is_json_text(left) and _is_json_text(right):
        raise statement_gap(f"a comparison of {_JSON_TEXTS}", node)
    alike = left.type == right.type and left.type.carried in _ONE_TEXT and not ordered
    if alike and isinstance(left, Column) and isinstance(right, Column):
        return
    if not ordered and (_is_canonical(left, right) or _is_canonical(right, left)):
        return
    if ordered:
        refuse_order("a comparison", node, left, right)
    else:
        _refuse_texts("a comparison", node, left, right)
    for one, other in ((left, right), (right, left)):
        if _is_real(one) and not _is_real(other) and not _is_single(other):
            raise statement_gap(
                "a comparison of `real`, whose single precision MongoDB does not have, with a value that may have more digits",
                node,
            )


_NO_NUMBERS = frozenset({TypeName.BITS, TypeName.TIME, TypeName.INTERVAL})


def refuse_stored_otherwise(what: str, node: exp.Expr | None, *found: Expression) -> None:
    """Raise a gap for arithmetic with values that are stored in another form."""
    _refuse_texts(what, node, *found)
    if told := next((each.type for each in found if each.type.name in _NO_NUMBERS), None):
        raise statement_gap(f"{what} of {told}, which is stored as text", node)
    if any(map(_is_real, found)):
        raise statement_gap(f"{what} of `real`, whose single precision MongoDB does not have", node)


def refuse_bits(what: str, node: exp.Expr | None, *found: Expression) -> None:
    """Raise a gap for bits, which are kept as the text of their digits and are numbers, or bytes, to the source."""
    if any(each.type.name is TypeName.BITS for each in found):
        raise statement_gap(f"{what} of bits, which are stored as text", node)


def refuse_groups(what: str, node: exp.Expr | None, *found: Expression) -> None:
    """Raise a gap where equal values may be kept as different texts, or different ones alike."""
    if any(map(_is_json_text, found)):
        raise statement_gap(f"{what} of {_JSON_TEXTS}", node)
    _refuse_texts(what, node, *(each for each in found if each.type.carried not in _ONE_TEXT))


def refuse_parts(node: exp.Expr | None, *found: Expression) -> None:
    """Raise a gap for what no window is partitioned by."""
    refuse_groups("a window's partitions", node, *found)
    if any(each.type.name in MAY_BE_ARRAYS for each in found):
        raise statement_gap("a window's partitions by arrays or JSON, which the server does not support", node)


def _is_json_text(value: Expression) -> bool:
    return value.type.name is TypeName.JSON and value.type.carried != JSONB


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
