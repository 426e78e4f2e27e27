"""Ancestors: the rows met climbing along a self-relationship, root first, as a value of the holder's row.

Where the entity is a plain collection the server walks its reference; else all rows are looked at, wherever they live.
"""

from __future__ import annotations

from nestling.ir.design import Design
from nestling.ir.model import Relationship
from nestling.ir.paths.access_path import (
    Climb,
    CollectionScan,
    DocumentOf,
    FieldPath,
    PathExpression,
    PathText,
    ProjectDocuments,
    RootFirst,
    Step,
)
from nestling.ir.paths.row_steps import Add, GraphLookup, Keep, Layout, SortRows
from nestling.ir.primitives import Copy, Form
from nestling.ir.reading import GapKind
from nestling.ir.statements.algebra import Filter, Relation, SortKey
from nestling.ir.statements.expression import Column, IsNull, Not
from nestling.ir.statements.operands import conjunction
from nestling.ir.types import TypeName
from nestling.planner.homes.place import documents_at
from nestling.planner.reads.correlate import stored_path
from nestling.planner.reads.gaps import read_gap
from nestling.planner.reads.rows import Lowered, LoweringContext
from nestling.planner.reads.scan import top_fields
from nestling.planner.upkeep.copied_element import At, copied_element
from nestling.planner.upkeep.copies import VALUE, looked_up
from nestling.planner.upkeep.source import HOLDER, alias_of, along, as_stored, column, scan

_AS_TEXT = (TypeName.TEXT, TypeName.INTEGER, TypeName.ENUM, TypeName.DECIMAL)
_ABOVE = alias_of(1)


def closure_columns(design: Design, entity: str, copy: Copy) -> tuple[Column, ...]:
    """Every column ancestors are read by."""
    link = design.model.relationship(copy.path[0].relationship)
    names = dict.fromkeys((*link.parent_attributes, *link.child_attributes, *(f.attribute for f in copy.attributes)))
    return tuple(column(design.model, entity, _ABOVE, name) for name in names)


def ancestors(
    rows: Lowered, copy: Copy, design: Design, entity: str, context: LoweringContext
) -> tuple[Lowered, PathExpression]:
    """The rows with the array (or path) of their ancestors; raises `ReadGap` for descendants and odd texts."""
    _refuse(copy, design, entity)
    link = design.model.relationship(copy.path[0].relationship)
    walked = _walked(rows, copy, link, design, context)
    rows, met = walked if walked is not None else _climbed(rows, copy, link, design, context)
    field = rows.fresh("ancestors")
    step = Add(rows.step, ((field, RootFirst(met, copy.limit)),))
    rows = Lowered(step, rows.layout, rows.taken | {field}, rows.standing)
    values = FieldPath(f"{field}.{VALUE}")
    return rows, PathText(values, copy.separator) if copy.form is Form.PATH else values


def _refuse(copy: Copy, design: Design, entity: str) -> None:
    if not copy.path[0].up:
        raise read_gap(f"the copy `{copy.name}` of descendants")
    attribute = design.model.entity(entity).attribute(copy.attributes[0].attribute)
    if copy.form is Form.PATH and (attribute.type.name not in _AS_TEXT or attribute.also):
        raise read_gap(f"the path `{copy.name}` of values of type {attribute.type}", GapKind.NOTIMPL)


def _element(copy: Copy, link: Relationship, layout: Layout) -> tuple[tuple[str, PathExpression], ...]:
    """A row's key, that of the one above it, and what is copied of it."""

    def at(attribute: str) -> str:
        return layout.path(as_stored(_ABOVE, attribute))

    key, above = _key(link.parent_attributes, at), _key(link.child_attributes, at)
    return ("k", key), ("p", above), (VALUE, copied_element(copy, at))


def _key(attributes: tuple[str, ...], at: At) -> PathExpression:
    parts = tuple((f"k{number}", FieldPath(at(attribute))) for number, attribute in enumerate(attributes))
    return parts[0][1] if len(parts) == 1 else DocumentOf(parts)


def _climbed(
    rows: Lowered, copy: Copy, link: Relationship, design: Design, context: LoweringContext
) -> tuple[Lowered, PathExpression]:
    """Every row that has a key is looked at."""
    model = design.model
    above = scan(model, link.parent, _ABOVE)
    keyed = conjunction(*(Not(IsNull(column(model, link.parent, _ABOVE, name))) for name in link.parent_attributes))
    relation: Relation = Filter(above, keyed) if keyed is not None else above

    def inner(step: Step, layout: Layout) -> Step:
        return ProjectDocuments(step, _element(copy, link, layout))

    layout = rows.layout
    start = _key(link.child_attributes, lambda name: layout.path(as_stored(HOLDER, name)))
    rows, field = looked_up(rows, relation, Keep.TOGETHER, context, inner)
    return rows, Climb(FieldPath(field), start)


def _walked(
    rows: Lowered, copy: Copy, link: Relationship, design: Design, context: LoweringContext
) -> tuple[Lowered, PathExpression] | None:
    """The parent by its key, and all above it by the server's own walk; None where that cannot see every row."""
    places = design.places.get(link.parent, ())
    if len(places) != 1 or places[0].copy is not None or len(link.parent_attributes) != 1:
        return None
    (place,) = places
    if not isinstance(documents_at(place), CollectionScan):
        return None
    wanted = closure_columns(design, link.parent, copy)
    own = {each.name: stored_path(place, each, context) for each in wanted}
    if any(path is None for path in own.values()):
        return None
    field = Lowered(rows.step, Layout(), top_fields(place.store)).fresh("met")
    to, by = str(own[link.parent_attributes[0]]), str(own[link.child_attributes[0]])

    def inner(step: Step, _: Layout) -> Step:
        step = GraphLookup(step, place.store.name, to, by, to, field, "depth of it")
        layout = Layout(tuple(((_ABOVE, name), f"{field}.{path}") for name, path in own.items()))
        depth = (("", "depth"), f"{field}.depth of it")
        step = SortRows(
            step, (SortKey(as_stored("", "depth"), descending=False, nulls_first=True),), Layout((depth,)), "x"
        )
        return ProjectDocuments(step, _element(copy, link, layout))

    rows, array = looked_up(rows, along(design.model, copy.path), Keep.TOGETHER, context, inner)
    return rows, FieldPath(array)
