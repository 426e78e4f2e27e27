"""Copies, computed values and ids, compared with the homes that they follow from; snapshots are not compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.ir.design import Design
from nestling.ir.drift import Check, ComparedValue, DriftKind, FieldCheck, Screen
from nestling.ir.freshness import Level
from nestling.ir.model import Relationship
from nestling.ir.paths.access_path import (
    Comparator,
    DocumentComparison,
    FieldPath,
    FilterDocuments,
    FixedValue,
    IfMissing,
)
from nestling.ir.primitives import Computed, Copy, Form, Reference
from nestling.ir.reading import Gap
from nestling.ir.rows import AggregateKind
from nestling.ir.storage.layout import Place, Role
from nestling.ir.storage.names import join
from nestling.ir.types import TypeName
from nestling.ir.upkeep import Upkeep
from nestling.planner.checks.comparison import differing, field_order, guarded_update, way_to
from nestling.planner.checks.references import leading
from nestling.planner.checks.screens import screen_of
from nestling.planner.reads import ReadGap
from nestling.planner.upkeep import ExpectedRead, implied_read, stored, upkeeps_of
from nestling.planner.upkeep.holder import is_array


def kept_checks(design: Design) -> Iterator[Check | Gap]:
    """A check for every upkeep that follows its source; a gap if no read is known for it."""
    for upkeep in _checked_upkeeps(design):
        yield _check_or_gap(upkeep, design)


def field_checks(design: Design) -> Iterator[FieldCheck]:
    """Yield a check for each attribute of each copy of a single row, in whatever order they are stored."""
    for upkeep in _checked_upkeeps(design):
        for field, each in _fields(upkeep, design):
            yield FieldCheck(each.holder, field, join(_path(each.place), field), _check_or_gap(each, design))


def _checked_upkeeps(design: Design) -> Iterator[Upkeep]:
    return (each for each in upkeeps_of(design) if each.freshness.level is not Level.SNAPSHOT)


def _fields(upkeep: Upkeep, design: Design) -> Iterator[tuple[str, Upkeep]]:
    match upkeep.what:
        case Copy(form=Form.INLINE | Form.OBJECT) as copy if copy.is_to_one(design.model):
            where = upkeep.id.removesuffix(copy.name).rstrip(".")
            for each in copy.attributes:
                path = join(copy.name, each.path) if copy.form is Form.OBJECT else each.path
                alone = replace(copy, form=Form.INLINE, attributes=(replace(each, path=path),))
                yield path, replace(upkeep, id=join(where, path), what=alone)
        case Copy() as copy:
            yield copy.name, upkeep
        case Computed() | Reference() as what:
            yield what.field, upkeep


def _path(place: Place) -> str:
    """The way to a place in its documents, `[]` for the elements of an array."""
    return join(*(f"{node.field}[]" if is_array(node) else node.field for node in place.nodes))


def where_held(check: Check) -> Check:
    """The check of a field by itself, where something is held: where nothing is, nothing can be lost."""
    found = IfMissing(FieldPath(check.values[0].found), FixedValue(None))
    held = FilterDocuments(check.read.step, DocumentComparison(found, Comparator.NOT_EQUAL, FixedValue(None)))
    return replace(check, read=replace(check.read, step=held))


def _check_or_gap(upkeep: Upkeep, design: Design) -> Check | Gap:
    try:
        found = implied_read(upkeep, design, with_found=True)
        return _check(found, screen_of(upkeep, design, [path for path, _ in found.values]), design)
    except ReadGap as error:
        return error.at(upkeep.id)


def _check(found: ExpectedRead, screen: Screen | None, design: Design) -> Check:
    upkeep = found.upkeep
    pairs = zip(found.values, found.found, strict=True)
    order, several = field_order(upkeep.what), isinstance(upkeep.what, Copy) and upkeep.what.form.to_many
    nulls = _null_or_missing(upkeep, design)
    values = tuple(
        ComparedValue(path, expected, there, order, several, path in nulls) for (path, expected), there in pairs
    )
    link = _reference(upkeep, design)
    source = leading(design, upkeep.place, link) if link is not None else None
    repair = guarded_update(stored(found), upkeep.place, found.locators, values, found.reasons)
    return Check(
        upkeep.id,
        _kind(upkeep),
        upkeep.place.store.name,
        replace(found.plan, step=differing(found.plan.step, values)),
        values,
        way_to(upkeep.place, found.locators),
        repair,
        freshness=upkeep.freshness,
        screen=screen,
        source=source,
        is_loose=link is not None and source is None,
        is_needed=_is_needed(upkeep, design),
        inexact=isinstance(upkeep.what, Computed) and upkeep.what.function in (AggregateKind.SUM, AggregateKind.AVG),
    )


def _reference(upkeep: Upkeep, design: Design) -> Relationship | None:
    """The reference that a copy follows; None for copies of children, and for other derived values."""
    if not isinstance(upkeep.what, Copy) or not upkeep.what.path[0].up:
        return None
    return design.model.relationship(upkeep.what.path[0].relationship)


def _is_needed(upkeep: Upkeep, design: Design) -> bool:
    """Whether the validator requires the copy; an orphan has no parent to copy from, until it is refused or adopted."""
    copy, is_orphan = upkeep.what, upkeep.place.store.role is Role.ORPHANS
    if not isinstance(copy, Copy) or copy.form.to_many or is_orphan or not copy.has_always_a_source(design.model):
        return False
    source = design.model.entity(copy.path[-1].target(design.model))
    return copy.form is Form.OBJECT or any(source.always_has(each.attribute) for each in copy.attributes)


def _null_or_missing(upkeep: Upkeep, design: Design) -> frozenset[str]:
    """The separate fields with a value of one row, except json, in which null is a value."""
    match upkeep.what:
        case Copy(form=Form.INLINE) as copy:
            source = design.model.entity(copy.path[-1].target(design.model))
            fields = (
                each for each in copy.attributes if source.attribute(each.attribute).type.name is not TypeName.JSON
            )
            return frozenset(each.path for each in fields)
        case _:
            return frozenset()


def _kind(upkeep: Upkeep) -> DriftKind:
    match upkeep.what:
        case Copy():
            return DriftKind.COPY
        case Computed():
            return DriftKind.COMPUTED
        case Reference():
            return DriftKind.REFERENCE
