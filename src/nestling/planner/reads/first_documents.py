"""The rows with the greatest values of an array's field lie in the documents with the greatest ones.

MongoDB orders documents by the greatest value of an array, where the order is descending. So the first `n` rows of `ORDER BY id
DESC LIMIT n`, whose rows are elements, are among the first `n` documents in that order: an index of the field gives these, and
only their elements are compared. Of rows that lie in several collections, the first `n` of each are.

This holds where every row has a value: a document without any would be taken for one whose rows have none. In ascending order a
document without elements comes first, so nothing is changed there.
"""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.access_path import CollectionScan, Exists, Filter, Step, Union, Unwind
from nestling.ir.algebra import SortKey
from nestling.ir.expression import Collation, Column, Literal
from nestling.ir.row_steps import VARIABLE, Layout, Shape, Slice, SortRows
from nestling.ir.types import INTEGER, ORDERED_ALIKE

MOST = 100
"""More rows than these are not looked for in so many documents: that would be all of many a collection."""


def of_first_documents(step: Slice) -> Slice:
    """The same rows, of the first documents where that is enough."""
    sort = step.source
    count = _count(step)
    if not isinstance(sort, SortRows) or count is None or len(sort.keys) != 1 or not _is_plain(sort.keys[0]):
        return step
    return replace(step, source=replace(sort, source=_narrowed(sort.source, sort, count)))


def _count(step: Slice) -> int | None:
    """How many rows are looked at; None where that is not known, or many."""
    values = [
        each.value if isinstance(each, Literal) else None for each in (step.count, step.offset) if each is not None
    ]
    if step.count is None or not all(isinstance(each, int) for each in values):
        return None
    count = sum(each for each in values if isinstance(each, int))
    return count if 0 < count <= MOST else None


def _is_plain(key: SortKey) -> bool:
    """Whether the server orders documents by it as it orders rows, the greatest first."""
    column = key.expression
    return (
        isinstance(column, Column)
        and key.descending
        and not column.nullable
        and not column.mixed
        and column.type.name in ORDERED_ALIKE
        and column.type.fraction_digits <= 3
        and key.collation is Collation.BINARY
    )


def _narrowed(source: Step, sort: SortRows, count: int) -> Step:
    match source:
        case Unwind():
            return _of_documents(source, sort, count)
        case Union(sources):
            return Union(tuple(_first_of(each, sort, count) for each in sources))
        case _:
            return source


def _of_documents(unwind: Unwind, sort: SortRows, count: int) -> Step:
    """The elements of the first documents."""
    column = _column(sort)
    path, inner = sort.layout.path(column), unwind.source
    if path.startswith(VARIABLE) or not path.startswith(f"{unwind.path}.") or unwind.keep_empty:
        return unwind
    if isinstance(inner, Unwind):
        return replace(unwind, source=_of_documents(inner, sort, count))
    if not isinstance(inner, CollectionScan):  # a condition leaves few documents, or has an index of its own
        return unwind
    layout = Layout.of({(column.alias, column.name): path})
    with_rows = Filter(inner, Exists(path))  # so that an index of the documents that have the field will do
    first = Slice(SortRows(with_rows, sort.keys, layout, sort.prefix), Literal(count, INTEGER), None)
    return replace(unwind, source=first)


def _first_of(source: Step, sort: SortRows, count: int) -> Step:
    """The first rows of one source of a union, whose fields are columns of its own."""
    if not isinstance(source, Shape):
        return source
    column = _column(sort)
    found = dict(source.fields).get(sort.layout.path(column))
    if not isinstance(found, Column) or found not in source.layout:
        return source
    own = replace(column, alias=found.alias, name=found.name)
    inner = replace(sort, keys=(replace(sort.keys[0], expression=own),), layout=source.layout, source=source.source)
    narrowed = replace(inner, source=_narrowed(inner.source, inner, count))
    return replace(source, source=Slice(narrowed, Literal(count, INTEGER), None))


def _column(sort: SortRows) -> Column:
    column = sort.keys[0].expression
    assert isinstance(column, Column)
    return column
