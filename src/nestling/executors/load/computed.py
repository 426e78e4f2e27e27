"""Computed values: aggregates the source groups by the row they belong to, one stream per path."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from nestling.executors.load.copies import across
from nestling.executors.load.document_code import DocumentPart, NewDocument, PartKind, RowKey, merge, nested
from nestling.executors.load.level import StreamLevel
from nestling.executors.load.merge import Merge
from nestling.ir.model import Attribute
from nestling.ir.primitives import Computed
from nestling.ir.rows import AggregateKind, RowAggregate, RowColumn, RowPath, RowQuery
from nestling.ir.types import Type, TypeName
from nestling.ir.values import encode, encoder

Finish = Callable[[Any], Any]


def computed_parts(work: Merge, level: StreamLevel, computed: tuple[Computed, ...]) -> Iterator[DocumentPart]:
    """The computed fields of a row, those over the same path from the same stream."""
    for path in dict.fromkeys(item.path for item in computed):
        yield _part(work, level, path, [item for item in computed if item.path == path])


def _part(work: Merge, level: StreamLevel, path: RowPath, items: list[Computed]) -> DocumentPart:
    below, rest = across(work, level, path)
    columns = [_column(work, item, rest) for item in items]
    aggregates = tuple(RowAggregate(item.function, column) for item, column in zip(items, columns, strict=True))
    absent = () if below.absent is None else (below.absent,)
    order = (*below.prefix, *absent)
    query = RowQuery(below.entity, (), order, below.inner, work.after, group_by_order=True, aggregates=aggregates)
    stream = work.stream(query, len(below.prefix) if absent else None)
    width, start = len(below.prefix), len(order)
    source = work.model.entity(path[-1].target(work.model))
    fields = [
        (item.field, _finish(work, item, source.attribute(item.attribute) if item.attribute else None))
        for item in items
    ]
    stamps = [(item.stamp, work.moment) for item in items if item.stamp]
    empty = tuple(0 if item.function is AggregateKind.COUNT else None for item in items)

    def take(key: RowKey) -> NewDocument:
        row, values = stream.row, empty
        if row is not None and row[:width] == key:
            values = row[start:]
            stream.row = next(stream.rows, None)
        document: NewDocument = {}
        for (field, finish), value in zip(fields, values, strict=True):
            if value is not None:
                merge(document, nested(field, finish(value)))
        for field, moment in stamps:
            merge(document, nested(field, moment))
        return document

    return DocumentPart(PartKind.SPREAD, "", take)


def _column(work: Merge, item: Computed, rest: RowPath) -> RowColumn | None:
    """The aggregated column; rows are counted by their join column, so that missing rows do not count."""
    if item.attribute is not None:
        return RowColumn(item.attribute, rest)
    return RowColumn(rest[-1].far(work.model)[0], rest) if rest else None


def _finish(work: Merge, item: Computed, attribute: Attribute | None) -> Finish:
    """Convert the source's result to the stored value: rounded down to the step, in the attribute's type."""
    policy, step = work.values.policy, item.step
    if attribute is not None and item.function in (AggregateKind.MIN, AggregateKind.MAX):
        return encoder(attribute.type, policy)

    def finish(value: Any) -> Any:
        if attribute is not None and attribute.type.name is TypeName.INTEGER:
            value = integer_aggregate(item.function, value)
        elif attribute is not None and attribute.type.name is TypeName.DECIMAL:
            value = decimal_aggregate(item.function, attribute.type, value)
        return encode(value if step == 1 else rounded_down(value, step), policy)

    return finish


def decimal_aggregate(function: AggregateKind, kind: Type, value: Any) -> Any:
    """An aggregate over decimals that the source returned as a float, as SQLite does.

    A sum becomes exact again by the type's scale, up to 15 digits; an average becomes a decimal with its digits.
    """
    if not isinstance(value, float):
        return value
    if function is AggregateKind.AVG:
        return Decimal(repr(value))
    if function is not AggregateKind.SUM or len(kind.numbers) < 2 or not abs(value) < 10 ** (15 - kind.numbers[1]):
        return value
    return Decimal(value).quantize(Decimal(1).scaleb(-kind.numbers[1]))


def integer_aggregate(function: AggregateKind, value: Any) -> Any:
    """An aggregate over whole numbers from any type: an average is a float, all others are whole."""
    if function is AggregateKind.AVG:
        return float(value)
    return int(value) if isinstance(value, Decimal | float) and value == int(value) else value


def rounded_down(value: Any, step: int) -> Any:
    """The greatest multiple of `step` that is not above a number."""
    whole = math.floor(value / step) * step if isinstance(value, float) else int(value // step) * step
    if isinstance(value, Decimal):
        return Decimal(whole if whole <= value else whole - step)
    return type(value)(whole)
