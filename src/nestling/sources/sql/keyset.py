"""The result columns of a query, and whether it can be read in pages by key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nestling.ir.rows import AggregateKind
from nestling.ir.types import TypeName

if TYPE_CHECKING:
    from nestling.ir.model import Attribute, Model
    from nestling.ir.rows import RowAggregate, RowColumn, RowQuery

_PAGED = {  # an ENUM is ordered by its position but compared as text, a FLOAT compares with what was printed of it
    *(TypeName.INTEGER, TypeName.TEXT, TypeName.DECIMAL, TypeName.DATE, TypeName.TIMESTAMP, TypeName.TIMESTAMPTZ),
    *(TypeName.UUID, TypeName.BOOLEAN, TypeName.BYTES, TypeName.TIME),
}


def result_attributes(query: RowQuery, model: Model) -> list[Attribute | None]:
    """The attribute of each result column; None for a computed number."""
    if not query.group_by_order:
        return [attribute_of(query, column, model) for column in query.columns]
    order = [attribute_of(query, column, model) for column in query.order]
    return [*order, *(_aggregated(query, aggregate, model) for aggregate in query.aggregates)]


def attribute_of(query: RowQuery, column: RowColumn, model: Model) -> Attribute:
    """The attribute a query's column leads to."""
    entity = column.path[-1].target(model) if column.path else query.entity
    return model.entity(entity).attribute(column.attribute)


def _aggregated(query: RowQuery, aggregate: RowAggregate, model: Model) -> Attribute | None:
    if aggregate.column is None or aggregate.function not in (AggregateKind.MIN, AggregateKind.MAX):
        return None
    return attribute_of(query, aggregate.column, model)


def is_paged(query: RowQuery, model: Model) -> bool:
    """Whether the order columns are a key of the result by which it can be read in pages, nothing lost between them."""
    if query.group_by_order or query.newest or query.ancestors:
        return False
    own = {column.attribute for column in query.order if not column.path}
    key = model.entity(query.entity).key
    if not key or not own.issuperset(key):
        return False
    if not all(hop.to_one(model) for column in (*query.columns, *query.order) for hop in column.path):
        return False
    return all(attribute_of(query, column, model).type.name in _PAGED for column in query.order)
