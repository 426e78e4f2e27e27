"""Restricts a range of time to the buckets whose windows meet it, so that the events of others are not taken out.

A time of at least `a` lies in a window that begins no earlier than that of `a`, and a time before `b` in one that begins before
`b`. Both are conditions on `bucket_start`, in addition to those on the events themselves, so that an index on the series and
`bucket_start` finds only these buckets. An event without a time meets no range, and its bucket has no beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from nestling.ir.paths.access_path import Step
from nestling.ir.paths.row_steps import Layout
from nestling.ir.primitives import BUCKET_START, BucketWindow
from nestling.ir.statements.expression import Call, Cast, Column, Compare, Expression, Literal, Parameter, Raw
from nestling.ir.statements.operands import bare, conjunction, conjuncts, has_subquery, nullable, operands
from nestling.ir.statements.operators import BELOW, Collation, Comparison, Function, Rules
from nestling.ir.types import BSON_DIGITS, INTEGER, TEXT, TIMES, Type, TypeName
from nestling.ir.value_forms.calendar_units import BEGINNINGS
from nestling.planner.reads.rewrites.prefilter import asked_of_documents
from nestling.planner.reads.traverse import mentioned

if TYPE_CHECKING:
    from nestling.planner.reads.rows import PlacedScan

_BEGINS = {
    Comparison.EQUAL: Comparison.EQUAL,
    Comparison.GREATER: Comparison.GREATER_OR_EQUAL,
    Comparison.GREATER_OR_EQUAL: Comparison.GREATER_OR_EQUAL,
}
"""How the beginning of a window compares with that of the one a value lies in, where a time in it compares so with the value."""
_FIRST, _LAST = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
"""Moments before which no window begins, and after which none does."""


def in_buckets(step: Step, predicate: Expression, standing: Mapping[str, PlacedScan]) -> Step:
    """The step with what a predicate on its rows says of the buckets that hold them."""
    for alias, at in standing.items():
        header, *events = at.place.nodes
        if len(events) != 1 or at.prefix:  # rows inside an event may have an attribute of the same name
            continue
        if header.bucket is not None and header.bucket.window is not None:
            asked = conjunction(*_of_buckets(predicate, alias, header.bucket.window))
            if asked is not None:
                layout = Layout.of({(alias, BUCKET_START): BUCKET_START})
                step = asked_of_documents(step, at.place.store.name, asked, layout)
    return step


def _of_buckets(predicate: Expression, alias: str, window: BucketWindow) -> Iterator[Expression]:
    """What the conjuncts that compare the time of an event say of where its window begins."""
    for each in conjuncts(predicate):
        if isinstance(each, Compare) and each.collation is Collation.BINARY:
            yield from _compared(each.left, each.operator, each.right, alias, window)
            yield from _compared(each.right, each.operator.mirrored, each.left, alias, window)


def _compared(
    time: Expression, operator: Comparison, value: Expression, alias: str, window: BucketWindow
) -> Iterator[Expression]:
    time, unit = _truncated(time)
    column = time.operand if isinstance(time, Raw) else time
    if not isinstance(column, Column) or (column.alias, column.name) != (alias, window.attribute) or column.mixed:
        return
    if not (_is_text(value, column.type) if isinstance(time, Raw) else _is_time(value)):
        return
    start: Expression = replace(column, name=BUCKET_START, type=_of_dates(column.type))
    start = replace(time, operand=start) if isinstance(time, Raw) else start
    is_cell = isinstance(value, Parameter) and value.is_cell
    if is_cell and value.type.fraction_digits > BSON_DIGITS:  # it is a text
        return
    is_constant = isinstance(time, Raw) or (isinstance(value, Literal | Parameter) and not is_cell)
    value = replace(value, type=_of_dates(value.type)) if isinstance(value, Literal | Parameter) else value
    if operator in _BEGINS:
        first = _start(value, window.unit)
        begins = _BEGINS[operator] if not unit else Comparison.GREATER_OR_EQUAL
        yield Compare(begins, start, first if is_constant else _or(first, _LAST))
    if unit and (operator in BELOW or operator is Comparison.EQUAL):
        yield Compare(Comparison.LESS, start, _or(_next(value, unit), _FIRST))
    elif operator in BELOW:
        yield Compare(operator, start, value if is_constant else _or(value, _FIRST))


def _truncated(time: Expression) -> tuple[Expression, str]:
    """What is compared, and the calendar unit whose beginning is taken of it; no unit where it is compared as it is."""
    match time:
        case Call(Function.DATE_OF, (Column() as column,)):
            return column, "day"
        case Cast(Column() as column, kind, Rules.POSTGRESQL) if kind.name is TypeName.DATE:
            return column, "day"
        case Call(Function.TRUNCATE_TIME, (Literal(value=str(unit)), Column() as column)) if unit in BEGINNINGS:
            return column, unit
        case _:
            return time, ""


def _start(value: Expression, unit: str) -> Expression:
    """The beginning of the unit a moment lies in."""
    return Call(Function.TRUNCATE_TIME, (Literal(str(unit), TEXT), value), value.type, Rules.POSTGRESQL)


def _next(value: Expression, unit: str) -> Expression:
    """The beginning of the unit after it, before which all moments are whose unit begins no later."""
    moved = (_start(value, unit), Literal(unit, TEXT), Literal(1, INTEGER))
    return Call(Function.ADD_TIME, moved, value.type, Rules.POSTGRESQL)


def _or(value: Expression, beyond: datetime) -> Expression:
    """The moment, or where it is NULL one that no window meets: an index would not serve where that had to be asked besides."""
    if not nullable(value):
        return value
    return Call(Function.COALESCE, (value, Literal(beyond, Type(TypeName.TIMESTAMP))), value.type, Rules.POSTGRESQL)


def _is_time(value: Expression) -> bool:
    """Whether it is one moment for all rows."""
    is_one = not any(True for _ in mentioned(value)) and not has_subquery(value) and not _is_random(value)
    return is_one and value.type.name in TIMES


def _is_text(value: Expression, kind: Type) -> bool:
    """Whether it is a text that times are compared with as SQLite does, of which their boundary is found."""
    return isinstance(bare(value), Literal | Parameter) and kind.fraction_digits <= BSON_DIGITS


def _is_random(value: Expression) -> bool:
    return (isinstance(value, Call) and value.function is Function.RANDOM) or any(map(_is_random, operands(value)))


def _of_dates(kind: Type) -> Type:
    """The type of times as dates hold them, which the beginnings of all windows are."""
    return replace(kind, numbers=()) if kind.fraction_digits > BSON_DIGITS else kind
