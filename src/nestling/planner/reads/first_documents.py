"""Finds the rows with the greatest values of an array's field in the documents with the greatest values.

In a descending order MongoDB sorts documents by the greatest value in an array. So if rows are elements, the first `n` rows of
`ORDER BY id DESC LIMIT n` are among the first `n` documents in that order: an index on the field finds these, and only their
elements are compared. If rows are in several collections, the first `n` of each are used.

Every row must have a value, because a document without any would be taken for one without rows. In ascending order a document
without elements comes first, so nothing is changed there.

The same holds for the first `n` buckets of one series, in both orders: each has at least one event. The conditions must select
whole buckets, so that none of their events is left out. An index on the series and the value finds the first buckets; without
one all are examined, but only the events of the first ones are unwound and sorted. The greatest or least value of a series is
in the first of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from nestling.ir.paths.access_path import CollectionScan, FieldExists, FilterDocuments, Step, Union, Unwind
from nestling.ir.paths.row_steps import VARIABLE, Layout, Shape, Slice, SortRows, Where
from nestling.ir.primitives import Bucket
from nestling.ir.statements.aggregate_functions import EXTREMES
from nestling.ir.statements.algebra import AggregateCall, SortKey
from nestling.ir.statements.expression import Column, Expression, Literal
from nestling.ir.statements.operands import conjuncts
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.layout import Role
from nestling.ir.types import BSON_DIGITS, INTEGER, MOMENTS, ORDERED_ALIKE, Type
from nestling.planner.known.bucket_fill import rows_in_bucket
from nestling.planner.known.busy_parents import busier
from nestling.planner.known.distinct import distinct_of, rows_of
from nestling.planner.reads.limits import rows_looked_at
from nestling.planner.reads.rewrites.foreign_key_as_parent import fixed_column
from nestling.planner.reads.rows import LoweringContext

MOST_FIRST_ROWS = 100
"""The number of rows up to which only the first documents are read: beyond it, these would be all of many a collection."""


def of_first_documents(step: Slice, context: LoweringContext) -> Slice:
    """The slice over only the first documents, if these are enough for its rows."""
    sort = step.source
    count = rows_looked_at(step.count, step.offset) or 0
    if not 0 < count <= MOST_FIRST_ROWS or not isinstance(sort, SortRows):
        return step
    if len(sort.keys) != 1 or not _is_plain(sort.keys[0].expression):
        return step
    if sort.keys[0].collation is not Collation.BINARY:
        return step
    return replace(step, source=replace(sort, source=_narrowed(sort.source, sort, count, context)))


def of_first_bucket(step: Step, layout: Layout, asked: Sequence[AggregateCall], context: LoweringContext) -> Step:
    """Restrict the events of a series to its first bucket, if a greatest or least value is all that is asked for."""
    if len(asked) != 1 or asked[0].function not in EXTREMES or asked[0].filter is not None:
        return step
    column = asked[0].argument
    of_series = isinstance(step, Unwind) and isinstance(step.source, Where)
    if not of_series or not isinstance(column, Column) or column not in layout or not _is_plain(column):
        return step
    key = SortKey(column, descending=EXTREMES[asked[0].function], nulls_first=False)
    return _narrowed(step, SortRows(step, (key,), layout, ""), 1, context)


def _is_plain(column: Expression) -> bool:
    """Whether the server sorts documents by the column as it sorts rows."""
    return isinstance(column, Column) and not column.nullable and not column.mixed and is_ordered_alike(column.type)


def is_ordered_alike(kind: Type) -> bool:
    """Whether the server has values of a type in their order, each as one."""
    return kind.name in ORDERED_ALIKE | MOMENTS and kind.fraction_digits <= BSON_DIGITS


def _narrowed(source: Step, sort: SortRows, count: int, context: LoweringContext) -> Step:
    match source:
        case Unwind():
            return _of_documents(source, sort, count, context)
        case Union(sources):
            return Union(tuple(_first_of(each, sort, count, context) for each in sources))
        case _:
            return source


def _of_documents(unwind: Unwind, sort: SortRows, count: int, context: LoweringContext) -> Step:
    """The elements of the first documents."""
    column = _column(sort)
    path, inner = sort.layout.path(column), unwind.source
    if path.startswith(VARIABLE) or not path.startswith(f"{unwind.path}.") or unwind.keep_empty:
        return unwind
    if isinstance(inner, Unwind):
        return replace(unwind, source=_of_documents(inner, sort, count, context))
    layout = Layout.of({(column.alias, column.name): path})
    if isinstance(inner, CollectionScan) and sort.keys[0].descending:
        asked: Step = FilterDocuments(
            inner, FieldExists(path)
        )  # so that an index of the documents that have the field will do
    elif isinstance(inner, Where) and _is_of_series(inner, count, context):
        asked, layout = inner, layout | inner.layout
    else:  # a condition leaves few documents, or has an index of its own
        return unwind
    first = Slice(SortRows(asked, sort.keys, layout, sort.prefix), Literal(count, INTEGER), None)
    return replace(unwind, source=first)


def _is_of_series(asked: Where, count: int, context: LoweringContext) -> bool:
    """Whether the conditions select exactly the buckets of one series, of which there may be more than requested rows."""
    scan = asked.source
    if not isinstance(scan, CollectionScan):
        return False
    stores = (each for each in context.design.stores if each.name == scan.collection and each.role is Role.HOME)
    header = next((each.roots[0] for each in stores), None)
    if header is None or header.bucket is None or _are_few(header.entity, header.bucket, count, context):
        return False
    parts = conjuncts(asked.predicate)
    equal = {
        asked.layout.path(column)
        for each in parts
        if (column := fixed_column(each)) is not None and column in asked.layout
    }
    series = {header.path_of(name) or name for name in header.bucket.by}
    return len(parts) == len(equal) and equal == series


def _are_few(entity: str, bucket: Bucket, count: int, context: LoweringContext) -> bool:
    """Whether a series is known to have no more buckets than rows are asked for: then all of them are read anyway."""
    statistics, model = context.statistics, context.design.model
    if bucket.window is not None or statistics.entity(entity).count is None:
        return False
    owners = prod(distinct_of(entity, name, model, statistics) for name in bucket.by)
    rows = rows_of(entity, statistics) / max(min(owners, rows_of(entity, statistics)), 1.0)
    asked = rows * prod(busier(entity, name, model, statistics) for name in bucket.by)
    return asked / rows_in_bucket(rows, bucket.limit) <= count


def _first_of(source: Step, sort: SortRows, count: int, context: LoweringContext) -> Step:
    """The first rows of one source of a union, whose fields are its own columns."""
    if not isinstance(source, Shape):
        return source
    column = _column(sort)
    found = dict(source.fields).get(sort.layout.path(column))
    if not isinstance(found, Column) or found not in source.layout:
        return source
    own = replace(column, alias=found.alias, name=found.name)
    inner = replace(sort, keys=(replace(sort.keys[0], expression=own),), layout=source.layout, source=source.source)
    narrowed = replace(inner, source=_narrowed(inner.source, inner, count, context))
    return replace(source, source=Slice(narrowed, Literal(count, INTEGER), None))


def _column(sort: SortRows) -> Column:
    column = sort.keys[0].expression
    assert isinstance(column, Column)
    return column
