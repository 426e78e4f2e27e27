"""Copies and arrays of ids: the rows at the end of a path, ordered and limited, as a value of the holder's row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

from nestling.ir.design import Design
from nestling.ir.model import Cardinality, Entity
from nestling.ir.paths.access_path import (
    DocumentOf,
    FieldPath,
    FixedValue,
    IfMissing,
    PathExpression,
    ProjectDocuments,
    Step,
)
from nestling.ir.paths.row_steps import Add, Correlate, Keep, Layout, Slice, SortRows
from nestling.ir.primitives import Copy, Form, Order, Reference
from nestling.ir.statements.algebra import Relation, SortKey
from nestling.ir.statements.expression import Column, Literal
from nestling.ir.types import ELEMENTWISE, INTEGER
from nestling.planner.reads.correlate import correlated
from nestling.planner.reads.rows import Lowered, LoweringContext
from nestling.planner.reads.scan import top_fields
from nestling.planner.reads.traverse import used
from nestling.planner.upkeep.copied_element import copied_element, listed_element
from nestling.planner.upkeep.source import alias_of, along, as_stored, columns_at
from nestling.planner.upkeep.triggers import path_of

VALUE = "v"
_Inner = Callable[[Step, Layout], Step]


def copied_columns(design: Design, what: Copy | Reference) -> tuple[Column, ...]:
    """Every column a copy's rows are read by."""
    path = path_of(design.model, what)
    source = design.model.entity(path[-1].target(design.model))
    attributes = [field.attribute for field in (what.attributes if isinstance(what, Copy) else what.copied)]
    attributes += [order.attribute for order in _order(what, source)]
    return (*used(along(design.model, path)), *columns_at(design.model, path, attributes))


def copied(
    rows: Lowered, what: Copy | Reference, design: Design, context: LoweringContext
) -> tuple[Lowered, tuple[PathExpression, ...]]:
    """The rows with what the copy must hold: a value, or for inline copies one for each attribute."""
    model, path = design.model, path_of(design.model, what)
    source, alias = model.entity(path[-1].target(model)), alias_of(len(path))
    single, ordered = _is_single(design, what)

    def inner(step: Step, layout: Layout) -> Step:
        def at(attribute: str) -> str:
            return layout.path(as_stored(alias, attribute))

        if ordered:
            step = sorted_by_stored_values(step, _order(what, source), source, at, context)
        limit = 1 if single else what.limit if isinstance(what, Copy) else None
        step = step if limit is None else Slice(step, Literal(limit, INTEGER), None)
        return ProjectDocuments(step, _fields(what, design, at))

    keep = Keep.ALL if single else Keep.TOGETHER
    rows, field = looked_up(rows, along(model, path), keep, context, inner)
    if isinstance(what, Copy) and what.form is Form.INLINE:
        return rows, tuple(FieldPath(f"{field}.{VALUE}{number}") for number in range(len(what.attributes)))
    return rows, (FieldPath(f"{field}.{VALUE}"),)


def copied_values(copy: Copy, design: Design, layout: Layout, hops: int) -> tuple[PathExpression, ...]:
    """What a copy of one row holds, in the order of its values, where the row is at the end of so many hops."""
    alias = alias_of(hops)
    return tuple(
        value for _, value in _fields(copy, design, lambda attribute: layout.path(as_stored(alias, attribute)))
    )


def looked_up(
    rows: Lowered, relation: Relation, keep: Keep, context: LoweringContext, inner: _Inner
) -> tuple[Lowered, str]:
    """The rows with those of the relation, shaped by further steps, under a field."""
    found = correlated(rows, relation, keep, context, "implied")
    step = cast(Correlate, found.step)
    foreign = inner(step.foreign, found.layout.inside(step.field))
    return replace(found, step=replace(step, foreign=foreign), layout=rows.layout, standing=rows.standing), step.field


def _is_single(design: Design, what: Copy | Reference) -> tuple[bool, bool]:
    """Whether the value is of one row at most, and whether it matters which."""
    if isinstance(what, Reference):
        single = design.model.relationship(what.relationship).cardinality is Cardinality.ONE_TO_ONE
        return single, not single
    to_one = what.is_to_one(design.model)
    return not what.form.to_many, not to_one


def _fields(what: Copy | Reference, design: Design, at: Callable[[str], str]) -> tuple[tuple[str, PathExpression], ...]:
    if isinstance(what, Reference):
        return ((VALUE, listed_element(design, what, at)),)
    if what.form is Form.INLINE:
        values = (FieldPath(at(field.attribute)) for field in what.attributes)
        return tuple((f"{VALUE}{number}", value) for number, value in enumerate(values))
    return ((VALUE, copied_element(what, at)),)


def _order(what: Copy | Reference, source: Entity) -> tuple[Order, ...]:
    """By the copy's order, then by the source's key, all attributes where it has none."""
    first = what.order if isinstance(what, Copy) else ()
    return (*first, *(Order(name) for name in source.identity))


def sorted_by_stored_values(
    step: Step, order: tuple[Order, ...], source: Entity, at: Callable[[str], str], context: LoweringContext
) -> Step:
    """The documents in the server's order of stored values; arrays compare as a whole, not by their least element."""
    taken = frozenset(name for store in context.design.stores for name in top_fields(store)) | {"_id"}
    prefix = Lowered(step, Layout(), taken).fresh("implied order")
    wrapped: list[tuple[str, PathExpression]] = []
    paths: dict[tuple[str, str], str] = {}
    for number, each in enumerate(order):
        path = at(each.attribute)
        if source.attribute(each.attribute).type.name in ELEMENTWISE:
            whole = DocumentOf(((VALUE, IfMissing(FieldPath(path), FixedValue(None))),))
            path = f"{prefix} {number}"
            wrapped.append((path, whole))
        paths["", str(number)] = path
    step = Add(step, tuple(wrapped)) if wrapped else step
    keys = (SortKey(as_stored("", str(n)), each.descending, not each.descending) for n, each in enumerate(order))
    return SortRows(step, tuple(keys), Layout.of(paths), prefix)
