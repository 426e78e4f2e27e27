"""Which share of rows a predicate keeps, from what is known of the values it compares and of how a column's values lie.

Where that is not known shares are the customary ones of query optimizers since System R: a third for a range, a tenth for
a pattern. Predicates are taken to be independent of each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from math import isclose, prod
from typing import assert_never

from nestling.ir.distribution import equal, equal_to_any
from nestling.ir.statements.expression import (
    EACH_ITSELF,
    SPELLED,
    And,
    Call,
    Case,
    Column,
    Compare,
    Expression,
    InList,
    IsNull,
    Like,
    Literal,
    Not,
    Or,
    Parameter,
)
from nestling.ir.statements.operands import bare, nullable, operands
from nestling.ir.statements.operators import ABOVE, BELOW, Comparison, Function
from nestling.ir.statistics import CLOSED_RANGE
from nestling.ir.storage.bounds import UNKNOWN_BYTES
from nestling.planner.known.ranges import (
    NO_VALUES,
    SampleValues,
    beginning,
    both,
    column_in,
    items_in,
    span_of,
    value_of,
    width,
)
from nestling.planner.known.values import KnownOf, PathStatistics

RANGE = 1 / 3


@dataclass(frozen=True, slots=True)
class Ranges:
    """The shares ranges are taken to keep whose ends are not known: those with one end, and those with two."""

    one_end: float
    two_ends: float


USUAL = Ranges(RANGE, CLOSED_RANGE)
WIDE_RANGES = Ranges(1 / 2, 1 / 4)
"""For what must not be too small: a join that begins with a range looks something up for every row in it."""

PATTERN = 1 / 10
UNKNOWN_EQUALITY = 1 / 10
UNKNOWN = 1 / 3
OF_ELEMENTS = frozenset({Function.ANY_ELEMENT, Function.CONTAINS, Function.OVERLAPS})
"""Conditions on the elements of an array, which is their first argument."""


def share(predicate: Expression, known: KnownOf, values: SampleValues = NO_VALUES, unknown: Ranges = USUAL) -> float:
    """The share of rows for which the predicate is true, 0 to 1.

    `values`: sample values of parameters, by name; `unknown`: what is taken of ranges whose ends are not known.
    """
    match predicate:
        case And(operands=inner):
            return together(inner, known, values, unknown)
        case Or(operands=inner):
            return 1 - prod(1 - share(each, known, values, unknown) for each in dict.fromkeys(inner))
        case Not(operand=operand):
            return max(0.0, 1 - share(operand, known, values, unknown) - _missing(operand, known))
        case Literal(value=value):
            return 1.0 if value else 0.0
        case Compare():
            return _share_compared(predicate, known, values, unknown)
        case InList():
            return _listed(predicate, known, values)
        case IsNull(operand=operand):
            return _missing(operand, known)
        case Like():
            return _alike(predicate, known, values)
        case Call(function=function) if function in OF_ELEMENTS:
            return _has_elements(predicate, known)
        case _:
            return _true(column_in(predicate), known)


def together(
    conjuncts: Iterable[Expression], known: KnownOf, values: SampleValues = NO_VALUES, unknown: Ranges = USUAL
) -> float:
    """The share of rows for which all are true.

    Repeated conditions, and both ends of one column's range, count as one condition.
    """
    kept, ends = 1.0, dict[tuple[str, str], list[Compare]]()
    for each in dict.fromkeys(conjuncts):
        column = column_of_range(each)
        if column is not None and isinstance(each, Compare):
            ends.setdefault((column.alias, column.name), []).append(each)
        else:
            kept *= share(each, known, values, unknown)
    return kept * prod(_between(each, known, values, unknown) for each in ends.values())


def column_of_range(predicate: Expression) -> Column | None:
    """The column a comparison gives one end of a range."""
    if not isinstance(predicate, Compare) or predicate.operator not in ABOVE | BELOW:
        return None
    return column_in(predicate.left) or column_in(predicate.right)


def _between(ends: list[Compare], known: KnownOf, values: SampleValues, unknown: Ranges) -> float:
    """The share of rows between the ends of a range: what is known of where they lie, else a guess."""
    spans = [span for each in ends if (span := span_of(each, known, values)) is not None]
    told = width(reduce(both, spans)) if spans else 1.0
    if len(spans) == len(ends):
        return told
    is_closed = len({(each.operator in ABOVE) == (column_in(each.left) is not None) for each in ends}) == 2
    return min(told, unknown.two_ends if is_closed else unknown.one_end)


def _share_compared(predicate: Compare, known: KnownOf, values: SampleValues, unknown: Ranges) -> float:
    match predicate.operator:
        case Comparison.EQUAL | Comparison.SAME:
            return _equals(predicate, known, values)
        case Comparison.NOT_EQUAL:
            columns = [column for side in (predicate.left, predicate.right) if (column := column_in(side)) is not None]
            there = prod(1 - _missing(column, known) for column in columns)
            return max(0.0, there - _equals(predicate, known, values))
        case Comparison.DIFFERENT:
            return 1 - _equals(predicate, known, values)
        case Comparison.LESS | Comparison.LESS_OR_EQUAL | Comparison.GREATER | Comparison.GREATER_OR_EQUAL:
            return _between([predicate], known, values, unknown)
        case _:
            assert_never(predicate.operator)


def _equals(predicate: Compare, known: KnownOf, values: SampleValues) -> float:
    """Of two columns the one with more values decides; an outer row's value is one value."""
    left, right = column_in(predicate.left), column_in(predicate.right)
    cased = cased_column(predicate.left) or cased_column(predicate.right)
    if left is None and right is None and cased is not None:
        return _equal(cased, known, None)
    if left is None or right is None:
        value = value_of(predicate.right if left is not None else predicate.left, values)
        return _equal(left or right, known, value)
    told = [found for column in (left, right) if (found := known(column)) is not None and found.distinct is not None]
    return min(((1 - found.missing) / max(found.distinct or 1.0, 1.0) for found in told), default=UNKNOWN_EQUALITY)


def cased_column(expression: Expression) -> Column | None:
    """The column of which an expression is the lower or upper case, or which it is in another form."""
    inner = bare(expression)
    is_case = isinstance(inner, Call) and inner.function in (Function.LOWER, Function.UPPER)
    return column_in(inner.arguments[0]) if isinstance(inner, Call) and is_case else column_in(inner)


def _equal(column: Column | None, known: KnownOf, value: object) -> float:
    """The share of rows with that value, or with one that is asked for as often as it occurs when it is not known."""
    return _equal_among(known(column) if column is not None else None, value)


def _equal_among(found: PathStatistics | None, value: object) -> float:
    """The share of rows with the value, given the column's statistics."""
    if found is None:
        return UNKNOWN_EQUALITY
    if found.values is not None:
        told = equal(found.values, value, found.distinct)
        return (1 - found.missing) * (told if told is not None else equal_to_any(found.values, found.distinct))
    if found.distinct is None:
        return UNKNOWN_EQUALITY
    return min((1 - found.missing) * found.busier / max(found.distinct, 1.0), 1.0)


def _listed(predicate: InList, known: KnownOf, values: SampleValues) -> float:
    column = column_in(predicate.operand)
    found = known(column) if column is not None else None
    return min(1.0, sum(_equal_among(found, value) for value in items_in(predicate, values)))


def _alike(predicate: Like, known: KnownOf, values: SampleValues) -> float:
    if predicate.case in SPELLED:
        return _equal(column_in(predicate.operand), known, None)
    if predicate.escape == EACH_ITSELF and (cased := cased_column(predicate.operand)) is not None:
        return _equal(cased, known, None)
    pattern = value_of(predicate.pattern, values)
    if isinstance(pattern, str) and not set(pattern) & {*"%_"}:
        return _equal(column_in(predicate.operand), known, pattern)
    told = beginning(predicate, known, values)
    return PATTERN if told is None else told


def _has_elements(predicate: Call, known: KnownOf) -> float:
    """The share of rows whose array has the element, all of them or one of them."""
    one, asked = has_element(predicate, known), len(predicate.arguments) - 1
    if predicate.function is Function.OVERLAPS:
        return min(one * asked, 1.0)
    return float(one**asked)


def has_element(predicate: Call, known: KnownOf) -> float:
    """The share of rows whose array has one element that a condition on elements asks for; of two columns the one with more
    values decides.
    """
    columns = [column for each in predicate.arguments if (column := column_in(each)) is not None]
    column = column_in(predicate.arguments[0])
    found = known(column) if column is not None else None
    if found is None or found.distinct is None:
        return UNKNOWN_EQUALITY
    values = max(told.distinct or 1.0 for each in columns if (told := known(each)) is not None)
    return min((1 - found.missing) * found.each / max(values, 1.0), 1.0)


def _true(column: Column | None, known: KnownOf) -> float:
    """The share of rows whose value is true by itself: neither 0 nor NULL."""
    found = known(column) if column is not None else None
    if found is None or found.values is None:
        return UNKNOWN
    false = equal(found.values, 0, found.distinct)
    return (1 - found.missing) * (1 - false) if false is not None else UNKNOWN


def _missing(operand: Expression, known: KnownOf) -> float:
    """The share of rows for which the expression is NULL."""
    column = column_in(operand)
    if column is not None:
        found = known(column)
        return found.missing if found is not None else 0.5
    if not nullable(operand):  # whether something is NULL, for one, is never unknown
        return 0.0
    there = 1.0
    for inner in operands(operand):
        there *= 1 - _missing(inner, known)
    return 1 - there


def distinct_values(expressions: tuple[Expression, ...], known: KnownOf, rows: float) -> float:
    """The number of different combinations of values in `rows` rows.

    If they are the rows of one table that are left, the number of values of one column in them is known.
    """
    column = column_in(expressions[0]) if len(expressions) == 1 else None
    found = known(column) if column is not None else None
    if found is not None and found.left is not None and isclose(rows, found.rows_left or 0.0):
        return min(found.left + (found.missing > 0), rows)
    possible = 1.0
    for expression in expressions:
        possible *= _distinct(expression, known, rows)
    if possible >= rows * 20:
        return rows
    return min(float(possible * (1 - (1 - 1 / possible) ** rows)), rows) if possible > 1 else min(1.0, rows)


def _distinct(expression: Expression, known: KnownOf, rows: float) -> float:
    if isinstance(expression, Literal | Parameter):
        return 1.0
    if isinstance(expression, Case):
        return len(expression.branches) + 1.0
    column = column_in(expression)
    if column is not None:
        found = known(column)
        left = found.left if found is not None else None
        return left + (found.missing > 0) if found is not None and left is not None else rows / 2
    possible = 1.0
    for inner in operands(expression):
        possible *= _distinct(inner, known, rows)
    return possible


def known_by_path(known: Mapping[str, PathStatistics], path_of: Callable[[Column], str | None]) -> KnownOf:
    """What is known of a column, by the path its values have."""

    def find(column: Column) -> PathStatistics | None:
        path = path_of(column)
        return known.get(path) if path is not None else None

    return find


def bytes_by(known: KnownOf) -> Callable[[Column], float]:
    """The bytes of a column's values on average."""

    def find(column: Column) -> float:
        found = known(column)
        return found.bytes if found is not None else UNKNOWN_BYTES

    return find


def elements_by(known: KnownOf) -> Callable[[Column], float]:
    """The elements of a column's arrays on average."""

    def find(column: Column) -> float:
        found = known(column)
        return found.each if found is not None else 1.0

    return find
