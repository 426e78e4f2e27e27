"""Aggregates over the events of one bucket."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from bson.decimal128 import create_decimal128_context

from nestling.executors.load.bson_order import bson_order
from nestling.executors.load.computed import integer_aggregate
from nestling.executors.load.document_code import AnyRow
from nestling.executors.load.level import RowLayout
from nestling.ir.model import Entity
from nestling.ir.primitives import Summary
from nestling.ir.rows import AggregateKind, RowColumn
from nestling.ir.types import TypeName
from nestling.ir.values import Policy, encode, encoder

Summarise = Callable[[list[AnyRow]], Any]


def summary_of(summary: Summary, entity: Entity, layout: RowLayout, policy: Policy) -> Summarise:
    """The function from a bucket's rows to the value of a summary field; None if it is missing."""
    if summary.attribute is None:
        return len
    attribute, place = entity.attribute(summary.attribute), layout[RowColumn(summary.attribute)]

    def summarise(rows: list[AnyRow]) -> Any:
        values = [row[place] for row in rows if row[place] is not None]
        if summary.function is AggregateKind.COUNT:
            return len(values)
        if summary.function in (AggregateKind.MIN, AggregateKind.MAX):
            convert = encoder(attribute.type, policy)
            stored = [convert(value) for value in values]
            choose = min if summary.function is AggregateKind.MIN else max
            return choose(stored, key=bson_order, default=None)
        found = _total(summary.function, values)
        if found is not None and attribute.type.name is TypeName.INTEGER:
            found = integer_aggregate(summary.function, found)
        return encode(found, policy)

    return summarise


def _total(function: AggregateKind, values: list[Any]) -> Any:
    """The sum or average of the numbers among the values, exact unless one is a float; None if there are none."""
    numbers = [value for value in values if isinstance(value, int | float | Decimal)]
    if not numbers:
        return None
    if any(isinstance(value, float) for value in numbers):
        total: Any = sum(map(float, numbers))
        return total / len(numbers) if function is AggregateKind.AVG else total
    context = create_decimal128_context()
    total = sum(numbers) if not any(isinstance(value, Decimal) for value in numbers) else _exact_sum(numbers, context)
    if function is AggregateKind.SUM:
        return total
    return context.divide(Decimal(total), Decimal(len(numbers))) if isinstance(total, Decimal) else total / len(numbers)


def _exact_sum(numbers: list[Any], context: Any) -> Decimal:
    total = Decimal(0)
    for number in numbers:
        total = context.add(total, Decimal(number))
    return total
