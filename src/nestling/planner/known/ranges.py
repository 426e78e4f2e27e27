"""The part of a column's values a range or the beginning of a text lets through, where it is known how they lie.

A span is a pair of shares of all rows, NULLs among them: of those with a smaller value than the range begins with, and of those
with none greater than it ends with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nestling.ir.bindings import UNKNOWN_LIST
from nestling.ir.distribution import below, below_any, up_to
from nestling.ir.statements.expression import Call, Column, Compare, Expression, InList, Like, Literal, Parameter
from nestling.ir.statements.operands import bare
from nestling.ir.statements.operators import ABOVE, CaseRule, Comparison, Function
from nestling.ir.workload import Quantile
from nestling.planner.known.values import KnownOf, PathStatistics

Span = tuple[float, float]
SampleValues = Mapping[str, object]
"""Sample values of parameters, by name, or their quantiles."""
NO_VALUES: SampleValues = {}


def width(span: Span) -> float:
    """The share of all rows that lies in a span."""
    return max(0.0, span[1] - span[0])


def both(one: Span, other: Span) -> Span:
    """The overlap of two spans of the same column."""
    return max(one[0], other[0]), min(one[1], other[1])


def span_of(predicate: Expression, known: KnownOf, values: SampleValues) -> Span | None:
    """The span of a comparison with a value that is known, or on average with those of another table's column; None when it, or
    how the column's values lie, is not.
    """
    match predicate:
        case Compare(operator=operator, left=left, right=right) if operator.is_order:
            column = column_in(left)
            if column is not None:
                return _range(column, operator, right, known, values)
            column = column_in(right)
            return _range(column, operator.mirrored, left, known, values) if column is not None else None
        case _:
            return None


def _range(
    column: Column, operator: Comparison, bound: Expression, known: KnownOf, values: SampleValues
) -> Span | None:
    if isinstance(bound, Call) and bound.function is Function.TRUNCATE_TIME:  # not far from what it is the beginning of
        bound = bound.arguments[1]
    found, value = known(column), _given(bound, values)
    there, half = (1 - found.missing, found.step / 2) if found is not None else (1.0, 0.0)
    beside = column_in(bound)
    if isinstance(value, Quantile):
        share: float | None = value.share
    elif found is not None and beside is not None and beside.alias != column.alias:
        share = _share_below(found, known(beside))
    elif found is None or found.values is None or value is None:
        return None
    else:
        measure = below if operator in (Comparison.LESS, Comparison.GREATER_OR_EQUAL) else up_to
        share = measure(found.values, value, None if found.step else found.distinct)
    if share is None:
        return None
    return (there * max(share - half, 0.0), there) if operator in ABOVE else (0.0, there * min(share + half, 1.0))


def _share_below(found: PathStatistics, beside: PathStatistics | None) -> float | None:
    """The share of a column's values below those of one that does not depend on it; None where either's are not known."""
    if found.values is None or beside is None or beside.values is None:
        return None
    return below_any(found.values, beside.values, found.distinct)


def beginning(predicate: Like, known: KnownOf, values: SampleValues) -> float | None:
    """The share of rows whose text begins as a pattern such as `ab%` says, or that a pattern was counted to let through; None
    when it is another or not known.
    """
    column, pattern = column_in(predicate.operand), value_of(predicate.pattern, values)
    found = known(column) if column is not None else None
    counted = _given(predicate.pattern, values)
    if isinstance(counted, Quantile):
        return counted.share * (1 - (found.missing if found is not None else 0.0))
    if found is None or found.values is None or not isinstance(pattern, str) or not pattern.endswith("%"):
        return None
    start = pattern[:-1]
    if not start or set(start) & {*"%_"}:
        return None
    share = 0.0
    for text in _spellings(start, predicate.case):
        low, high = below(found.values, text, found.distinct), below(found.values, _after(text), found.distinct)
        if low is None or high is None:
            return None
        share += max(0.0, high - low)
    return min(1.0, share) * (1 - found.missing)


def _spellings(start: str, case: CaseRule) -> set[str]:
    """How texts in the data begin that a pattern takes for the same: each in one case throughout, or as names are."""
    return (
        {start}
        if case in (CaseRule.EXACT, CaseRule.BYTES)
        else {start, start.lower(), start.upper(), start.capitalize()}
    )


def _after(text: str) -> str:
    """The first text that does not begin with this one and comes after all that do."""
    return f"{text[:-1]}{chr(min(ord(text[-1]) + 1, 0x10FFFF))}"


def value_of(expression: Expression, values: SampleValues) -> object:
    """The value a literal or a parameter has, None when it is not known."""
    found = _given(expression, values)
    return None if isinstance(found, Quantile) else found


def _given(expression: Expression, values: SampleValues) -> object:
    match bare(expression):
        case Literal(value=value):
            return value
        case Parameter(name=name):
            return values.get(name)
        case _:
            return None


def items_in(listed: InList, values: SampleValues) -> Sequence[object]:
    """The value of each item, None for those that are not known."""
    if listed.given is None:
        return [value_of(item, values) for item in listed.items]
    known = values.get(listed.given.name)
    return known if isinstance(known, list | tuple) else [None] * UNKNOWN_LIST


def column_in(expression: Expression) -> Column | None:
    """The column an expression is, or shows in another form."""
    inner = bare(expression)
    return inner if isinstance(inner, Column) else None
