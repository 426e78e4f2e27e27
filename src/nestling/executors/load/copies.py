"""Copies: along many-to-one relationships as additional columns of the row, otherwise from a stream of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nestling.common.errors import GapError, Problem
from nestling.executors.load.bson_order import sorted_alike
from nestling.executors.load.document_code import AnyRow, DocumentCode, DocumentPart, PartKind, RowKey
from nestling.executors.load.embedded import ChildRows, Sorter, sorted_elements, sorter
from nestling.executors.load.level import RowLayout, StreamLevel, own_columns, steps_of, total_order
from nestling.executors.load.merge import Merge
from nestling.ir.model import Entity, Model
from nestling.ir.primitives import Copy, Form, Order
from nestling.ir.rows import NewestRows, RowColumn, RowPath, RowQuery, RowSortKey, reversed_path


def copy_columns(model: Model, copy: Copy) -> tuple[RowColumn, ...]:
    """The columns a copy along many-to-one adds to its row's."""
    if not copy.is_to_one(model):
        return ()
    attributes = dict.fromkeys((*(field.attribute for field in copy.attributes), *copy.path[-1].far(model)))
    return tuple(RowColumn(attribute, copy.path) for attribute in attributes)


def copy_part(merge: Merge, level: StreamLevel, layout: RowLayout, copy: Copy) -> DocumentPart:
    """The part of a document that is a copy."""
    if copy.closure:
        return _ancestors(merge, level, copy)
    if copy.is_to_one(merge.model):
        return _joined(merge, layout, copy)
    return _streamed(merge, level, copy)


# --- many-to-one -----------------------------------------------------------------------------------------------------


def _joined(merge: Merge, layout: RowLayout, copy: Copy) -> DocumentPart:
    source = merge.model.entity(copy.path[-1].target(merge.model))
    code = DocumentCode(merge.values, len(layout.columns), 0)
    there = " and ".join(
        f"c{layout[RowColumn(name, copy.path)]} is not None" for name in copy.path[-1].far(merge.model)
    )
    code.guard(there, _nothing)
    if copy.home:  # a home must give the source row back: only for a key that is equal to the letter
        link = merge.model.relationship(copy.path[0].relationship)
        held = zip(link.child_attributes, link.parent_attributes, strict=True)
        code.guard(code.exact([(layout[RowColumn(a)], layout[RowColumn(b, copy.path)]) for a, b in held]), _nothing)
    _fill(code, layout, source, copy, copy.path)
    build = code.compile()
    if not copy.form.to_many:
        kind = PartKind.SPREAD if copy.form is Form.INLINE else PartKind.VALUE
        return DocumentPart(kind, copy.name, build, from_key=False)
    place = layout[RowColumn(copy.path[-1].far(merge.model)[0], copy.path)]
    return DocumentPart(
        PartKind.ALWAYS, copy.name, lambda row: [] if row[place] is None else [build(row)], from_key=False
    )


def _nothing(row: AnyRow) -> None:
    del row


def _fill(code: DocumentCode, layout: RowLayout, source: Entity, copy: Copy, path: RowPath) -> None:
    """Put the copied attributes of one source row into a document, or make them its result."""
    if copy.form in (Form.SCALARS, Form.PATH):
        name = copy.attributes[0].attribute
        code.result = code.value_or_null(layout, RowColumn(name, path), source.name, source.attribute(name))
        return
    for field in copy.attributes:
        column, attribute = RowColumn(field.attribute, path), source.attribute(field.attribute)
        code.column(field.path, layout, column, source.name, attribute, required=False)


# --- one-to-many -----------------------------------------------------------------------------------------------------


def across(merge: Merge, level: StreamLevel, path: RowPath) -> tuple[StreamLevel, RowPath]:
    """The level of rows reached from another along `path`, and the rest of the path to its end.

    The stream starts from the last downward step: everything before it is above, and the rest is many-to-one.
    """
    last = max((place for place, hop in enumerate(path) if not hop.up), default=-1) + 1
    base = path[last - 1].target(merge.model) if last else level.entity
    way, rest = path[:last], path[last:]
    if not last:
        return StreamLevel(level.entity, level.identity, (), level.inner + tuple(steps_of(rest)), level.absent), rest
    key = own_columns(total_order(merge.model.entity(base)))
    below = level.seen_from(base, reversed_path(way), key)
    return StreamLevel(base, below.prefix, key, below.inner + tuple(steps_of(rest)), below.absent), rest


def _streamed(merge: Merge, level: StreamLevel, copy: Copy) -> DocumentPart:
    below, rest = across(merge, level, copy.path)
    source = merge.model.entity(copy.path[-1].target(merge.model))
    names = dict.fromkeys(
        (
            *(f.attribute for f in copy.attributes),
            *(o.attribute for o in copy.order),
            *(source.identity),
        )
    )
    columns = merge.columns(RowColumn(name, rest) for name in names)
    absent = () if below.absent is None else (below.absent,)
    layout = RowLayout((*below.identity, *columns, *absent))
    newest = _newest(below, source, rest, copy)
    query = RowQuery(below.entity, layout.columns, below.identity, below.inner, merge.after, newest=newest)
    stream = merge.stream(query, None if below.absent is None else layout[below.absent])
    code = DocumentCode(merge.values, len(layout.columns), len(below.identity))
    _fill(code, layout, source, copy, rest)
    rows = ChildRows(merge, source, stream, len(below.prefix), layout, code, path=rest, counted=False)
    sort = sorter(merge.values.policy, source, layout, copy.order, rest)
    sort = sort or (_by_key(merge, source, layout, rest) if rest else None)
    take = rows.elements() if sort is None else sorted_elements(rows, sort)
    if copy.form.to_many:
        return DocumentPart(PartKind.ALWAYS, copy.name, take if copy.limit is None else _first(take, copy.limit))
    kind = PartKind.SPREAD if copy.form is Form.INLINE else PartKind.VALUE
    return DocumentPart(kind, copy.name, lambda key: next(iter(take(key)), None))


def _by_key(merge: Merge, source: Entity, layout: RowLayout, path: RowPath) -> Sorter | None:
    """Sorts by the source's key where the stream comes in the order of another entity's."""
    return sorter(merge.values.policy, source, layout, tuple(Order(name) for name in source.key), path)


def _first(take: Callable[[RowKey], list[Any]], limit: int) -> Callable[[RowKey], list[Any]]:
    return lambda key: take(key)[:limit]


def _newest(below: StreamLevel, source: Entity, rest: RowPath, copy: Copy) -> NewestRows | None:
    """Let the source omit what the limit excludes, if it orders values as MongoDB does."""
    names = [order.attribute for order in copy.order] + list(source.key)
    if copy.limit is None or not source.key or not all(sorted_alike(source.attribute(name).type) for name in names):
        return None
    if below.absent is not None or not below.prefix:
        return None
    order = [RowSortKey(RowColumn(item.attribute, rest), item.descending) for item in copy.order]
    return NewestRows(below.prefix, (*order, *(RowSortKey(RowColumn(name, rest)) for name in source.key)), copy.limit)


# --- ancestors -------------------------------------------------------------------------------------------------------


def _ancestors(merge: Merge, level: StreamLevel, copy: Copy) -> DocumentPart:
    if not copy.path[0].up:
        raise GapError(Problem(f"copy `{copy.name}`: descendants cannot be copied", next_move="copy ancestors"))
    entity = merge.model.entity(level.entity)
    columns = merge.columns(RowColumn(field.attribute, copy.path) for field in copy.attributes)
    absent = () if level.absent is None else (level.absent,)
    layout = RowLayout((*level.identity, *columns, *absent))
    query = RowQuery(
        level.entity, layout.columns, level.identity, level.inner, merge.after, ancestors=copy.path[0].relationship
    )
    stream = merge.stream(query, None if level.absent is None else layout[level.absent])
    code = DocumentCode(merge.values, len(layout.columns), len(level.identity))
    if copy.form is Form.PATH:
        place = layout[columns[0]]
        code.result = f"'' if c{place} is None else str(c{place})"
    else:
        _fill(code, layout, entity, copy, copy.path)
    rows = ChildRows(merge, entity, stream, len(level.identity), layout, code, path=copy.path, counted=False)
    take = rows.elements()
    if copy.form is Form.PATH:
        separator = copy.separator
        return DocumentPart(
            PartKind.ALWAYS, copy.name, lambda key: separator + "".join(f"{step}{separator}" for step in take(key))
        )
    return DocumentPart(PartKind.ALWAYS, copy.name, take if copy.limit is None else _first(take, copy.limit))
