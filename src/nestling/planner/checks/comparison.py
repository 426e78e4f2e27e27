"""Builds a check: rows with the expected and the found value where these differ, and the change that repairs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bson import Timestamp
from bson.datetime_ms import DatetimeMS

from nestling.ir.drift import ComparedValue, PathStep
from nestling.ir.paths.access_path import (
    CollectionScan,
    Comparator,
    DocumentComparison,
    DocumentOf,
    FieldPath,
    FilterDocuments,
    FixedValue,
    IfMissing,
    InOrder,
    PathExpression,
    ProjectDocuments,
    Step,
)
from nestling.ir.paths.row_steps import Correlate, Keep
from nestling.ir.paths.write_path import Cell, ElementFilter, FieldMatch, Set, UpdateDocuments
from nestling.ir.primitives import CollectionKind, Computed, Copy, Form, Reference
from nestling.ir.programs.compiled import OutputColumn, ReadPlan
from nestling.ir.statements.expression import ANY, Column
from nestling.ir.storage.layout import Place
from nestling.ir.storage.names import join, stored_name
from nestling.planner.reads.rows import Lowered
from nestling.planner.upkeep.holder import ID, Locator, changed_path, element_filters, is_array, locating

FOUND = "found 0"
"""The column of the found value if there is no expected one."""
_EPOCH, _FIRST, _BEHIND_DATES = DatetimeMS(0), DatetimeMS(-(2**63)), Timestamp(0, 0)
"""A date, the first of all, and the first value behind all dates in the server's order over all types."""
NO_UPDATES = (CollectionKind.TIME_SERIES, CollectionKind.CAPPED)
"""Kinds of collections whose documents cannot be changed at will."""


def differing(step: Step, values: Sequence[ComparedValue]) -> Step:
    """The rows in which one of the values differs from its expected one."""
    expected = DocumentOf(tuple((str(n), _comparable(each.expected, each)) for n, each in enumerate(values)))
    found = DocumentOf(tuple((str(n), _found(each)) for n, each in enumerate(values)))
    return FilterDocuments(step, DocumentComparison(expected, Comparator.NOT_EQUAL, found))


def field_order(what: Copy | Computed | Reference) -> tuple[str, ...]:
    """The fields (dotted paths) of a copy's sub-documents, whose order does not matter; empty for other values."""
    if isinstance(what, Copy) and what.form in (Form.OBJECT, Form.ARRAY):
        return tuple(field.path for field in what.attributes)
    return ()


def _found(value: ComparedValue) -> PathExpression:
    """The found value with its fields in the order of the expected one."""
    found = _comparable(value.found, value)
    return InOrder(found, value.order, value.several) if value.order else found


def _comparable(column: str, value: ComparedValue) -> PathExpression:
    """A missing value is not one that is null, unless it may be either."""
    path = FieldPath(column)
    return IfMissing(path, FixedValue(None)) if value.null_or_missing else path


def compared_read(
    step: Step, place: Place, told: Sequence[Locator], values: Sequence[tuple[str, PathExpression, PathExpression]]
) -> tuple[ReadPlan, tuple[ComparedValue, ...]]:
    """The read of the rows at a place whose values (path, expected, found) differ."""
    fields = list(locating(place, told))
    fields += [(f"value {n}", expected, ANY) for n, (_, expected, _) in enumerate(values)]
    fields += [(f"found {n}", found, ANY) for n, (_, _, found) in enumerate(values)]
    named = tuple(ComparedValue(path, f"value {n}", f"found {n}") for n, (path, _, _) in enumerate(values))
    projected = ProjectDocuments(step, tuple((name, value) for name, value, _ in fields))
    columns = tuple(OutputColumn(name, name, kind) for name, _, kind in fields)
    return ReadPlan(differing(projected, named), columns), named


def found_read(step: Step, place: Place, told: Sequence[Locator], value: PathExpression) -> ReadPlan:
    """The read of all rows at a place, with the value (`FOUND`) that shows that they should not be so."""
    fields = (*locating(place, told), (FOUND, value, ANY))
    columns = tuple(OutputColumn(name, name, kind) for name, _, kind in fields)
    return ReadPlan(ProjectDocuments(step, tuple((name, each) for name, each, _ in fields)), columns)


def values_of(rows: Lowered, columns: Sequence[Column]) -> PathExpression:
    """The value of a column of the rows; of several columns a document of them."""
    found = tuple((stored_name(each.name), FieldPath(rows.layout.path(each))) for each in columns)
    return found[0][1] if len(found) == 1 else DocumentOf(found)


def unmet(step: Step, field: str) -> Step:
    """The documents that met nothing in the array `field`."""
    return FilterDocuments(step, DocumentComparison(FieldPath(field), Comparator.EQUAL, FixedValue([])))


def without_match(step: Step, path: str, collection: str, field: str) -> Step:
    """The documents for whose value at a path no document of the collection has that `_id`; they meet in a fresh `field`."""
    there = ProjectDocuments(CollectionScan(collection), (("there", FixedValue(value=True)),))
    return unmet(Correlate(step, there, field, Keep.TOGETHER, equal=(path, "_id")), field)


def of_dates(step: Step, path: str) -> Step:
    """The documents with a date, or nothing, at a path: the server cannot compute windows of anything else."""
    value = IfMissing(FieldPath(path), FixedValue(_EPOCH))
    for comparator, bound in ((Comparator.GREATER_OR_EQUAL, _FIRST), (Comparator.LESS, _BEHIND_DATES)):
        step = FilterDocuments(step, DocumentComparison(value, comparator, FixedValue(bound)))
    return step


def way_to(place: Place, told: Sequence[Locator]) -> tuple[PathStep, ...]:
    """The way to a place, with what identifies the elements of arrays on it."""
    return tuple(
        PathStep(node.field, tuple((each.path, each.column) for each in told if each.level == level))
        for level, node in enumerate(place.nodes)
        if node.field
    )


def mending_update(
    design_place: Place, told: Sequence[Locator], values: Sequence[ComparedValue]
) -> UpdateDocuments | None:
    """The change that sets the values to the expected ones."""
    at = changed_path(design_place, told)
    changes = tuple(Set(join(at, each.path), Cell(each.expected)) for each in values)
    where = (FieldMatch("_id", Cell(ID)),)
    update = UpdateDocuments(design_place.store.name, where, changes, element_filters(design_place, told))
    return guarded_update(update, design_place, told, values)


def guarded_update(
    update: UpdateDocuments,
    place: Place,
    told: Sequence[Locator],
    values: Sequence[ComparedValue],
    reasons: Sequence[Locator] = (),
) -> UpdateDocuments | None:
    """Restrict the update to documents that still hold the found values, and the references they were compared by.

    None if documents cannot be changed.
    """
    if place.store.options.kind in NO_UPDATES:
        return None
    followed = tuple(FieldMatch(each.path, Cell(each.column)) for each in reasons)
    arrays = [level for level, node in enumerate(place.nodes) if is_array(node)]
    if not arrays or arrays[-1] not in {each.level for each in told}:
        matches = tuple(FieldMatch(join(place.path, each.path), Cell(each.found)) for each in values)
        return replace(update, where=(*update.where, *(() if arrays else followed), *matches))
    below = join(*(node.field for node in place.nodes[arrays[-1] + 1 :]))
    matches = tuple(FieldMatch(join(below, each.path), Cell(each.found)) for each in values)
    name = f"e{arrays[-1]}"
    filters = tuple(
        ElementFilter(each.name, (*each.matches, *followed, *matches)) if each.name == name else each
        for each in update.filters
    )
    return replace(update, filters=filters)
