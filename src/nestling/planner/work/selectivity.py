"""Which share of rows a predicate keeps, from what is known of the values it compares.

The shares of what nobody can know are the customary ones of query optimizers since System R: a third for a range, a tenth for
a pattern. Predicates are taken to be independent of each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import prod
from typing import assert_never

from nestling.ir.bounds import UNKNOWN_BYTES
from nestling.ir.expression import (
    And,
    Case,
    Cast,
    Coerce,
    Column,
    Compare,
    Comparison,
    Expression,
    InList,
    IsNull,
    Like,
    Literal,
    Not,
    Or,
    Parameter,
    Raw,
    Stored,
    operands,
)
from nestling.planner.work.documents import Known

RANGE = 1 / 3
CLOSED_RANGE = 1 / 20
"""A range with two ends: between PostgreSQL's 1/200 and the 1/9 of two ranges that know nothing of each other."""
PATTERN = 1 / 10
UNKNOWN_EQUALITY = 1 / 10
UNKNOWN = 1 / 3

LOWER = frozenset({Comparison.GREATER, Comparison.GREATER_OR_EQUAL})
UPPER = frozenset({Comparison.LESS, Comparison.LESS_OR_EQUAL})

KnownOf = Callable[[Column], "Known | None"]


def share(predicate: Expression, known: KnownOf) -> float:
    """The share of rows for which the predicate is true, 0 to 1."""
    match predicate:
        case And(operands=inner):
            return prod(share(each, known) for each in inner) * closed_ranges(inner)
        case Or(operands=inner):
            lost = 1.0
            for each in inner:
                lost *= 1 - share(each, known)
            return 1 - lost
        case Not(operand=operand):
            return max(0.0, 1 - share(operand, known) - _missing(operand, known))
        case Literal(value=value):
            return 1.0 if value else 0.0
        case Compare():
            return _compared(predicate, known)
        case InList(operand=operand, items=items):
            return min(1.0, len(items) * _equal(column_in(operand), known))
        case IsNull(operand=operand):
            return _missing(operand, known)
        case Like(pattern=pattern):
            is_whole = (
                isinstance(pattern, Literal) and isinstance(pattern.value, str) and not set(pattern.value) & {*"%_"}
            )
            return _equal(column_in(predicate.operand), known) if is_whole else PATTERN
        case _:
            return UNKNOWN


def closed_ranges(conjuncts: Iterable[Expression]) -> float:
    """By how much ranges with two ends keep less than their ends by themselves."""
    sides: dict[tuple[str, str], set[bool]] = {}
    for each in conjuncts:
        if isinstance(each, Compare) and each.operator in LOWER | UPPER:
            column = column_in(each.left) or column_in(each.right)
            if column is not None:
                lower = (each.operator in LOWER) == (column_in(each.left) is not None)
                sides.setdefault((column.alias, column.name), set()).add(lower)
    closed = sum(len(each) == 2 for each in sides.values())
    return (CLOSED_RANGE / RANGE**2) ** closed


def _compared(predicate: Compare, known: KnownOf) -> float:
    left, right = column_in(predicate.left), column_in(predicate.right)
    match predicate.operator:
        case Comparison.EQUAL | Comparison.SAME:
            return _equal_columns([column for column in (left, right) if column is not None], known)
        case Comparison.NOT_EQUAL | Comparison.DIFFERENT:
            return 1 - _equal_columns([column for column in (left, right) if column is not None], known)
        case Comparison.LESS | Comparison.LESS_OR_EQUAL | Comparison.GREATER | Comparison.GREATER_OR_EQUAL:
            return RANGE
        case _:
            assert_never(predicate.operator)


def _equal_columns(columns: list[Column], known: KnownOf) -> float:
    """Of two columns the one with more values decides; an outer row's value is one value."""
    told = [column for column in columns if (found := known(column)) is not None and found.distinct is not None]
    return min((_equal(column, known) for column in told), default=UNKNOWN_EQUALITY)


def _equal(column: Column | None, known: KnownOf) -> float:
    found = known(column) if column is not None else None
    if found is None or found.distinct is None:
        return UNKNOWN_EQUALITY
    return (1 - found.missing) / max(found.distinct, 1.0)


def _missing(operand: Expression, known: KnownOf) -> float:
    """The share of rows for which the expression is NULL."""
    column = column_in(operand)
    if column is not None:
        found = known(column)
        return found.missing if found is not None else 0.5
    there = 1.0
    for inner in operands(operand):
        there *= 1 - _missing(inner, known)
    return 1 - there


def column_in(expression: Expression) -> Column | None:
    """The column an expression is, or shows in another form."""
    match expression:
        case Column():
            return expression
        case Raw(operand=operand) | Cast(operand=operand) | Coerce(operand=operand) | Stored(operand=operand):
            return column_in(operand)
        case _:
            return None


def distinct_values(expressions: tuple[Expression, ...], known: KnownOf, rows: float) -> float:
    """How many different combinations of values `rows` rows have."""
    possible = 1.0
    for expression in expressions:
        possible *= _distinct(expression, known, rows)
    if possible >= rows * 20:
        return rows
    return float(possible * (1 - (1 - 1 / max(possible, 1.0)) ** rows)) if possible > 1 else min(1.0, rows)


def _distinct(expression: Expression, known: KnownOf, rows: float) -> float:
    if isinstance(expression, Literal | Parameter):
        return 1.0
    if isinstance(expression, Case):
        return len(expression.branches) + 1.0
    column = column_in(expression)
    if column is not None:
        found = known(column)
        return found.distinct + (found.missing > 0) if found is not None and found.distinct is not None else rows / 2
    possible = 1.0
    for inner in operands(expression):
        possible *= _distinct(inner, known, rows)
    return possible


def known_by_path(known: Mapping[str, Known], path_of: Callable[[Column], str | None]) -> KnownOf:
    """What is known of a column, by the path its values have."""

    def find(column: Column) -> Known | None:
        path = path_of(column)
        return known.get(path) if path is not None else None

    return find


def bytes_by(known: KnownOf) -> Callable[[Column], float]:
    """The bytes of a column's values on average."""

    def find(column: Column) -> float:
        found = known(column)
        return found.bytes if found is not None else UNKNOWN_BYTES

    return find
