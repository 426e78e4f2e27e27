"""Changes within the elements of an array: of all, of those that a filter names, of the one that was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from nestling.ir.capture.masks import NULL_SHAPE
from nestling.ir.facts.steps import ANY_KEY
from nestling.sources.capture.sql.array_changes import ArrayChange, own_texts
from nestling.sources.capture.sql.assignments import assigned, is_upkeep
from nestling.sources.capture.sql.documents import New, StatementDraft, Written
from nestling.sources.capture.sql.entity_rows import EntityRow
from nestling.sources.capture.sql.field_values import FieldValue, Many, NotExpressible, RowAttribute
from nestling.sources.capture.sql.filters import conditions, element_conditions
from nestling.sources.capture.sql.paths import find
from nestling.sources.capture.sql.searches import WriteSearch
from nestling.sources.capture.sql.statement_texts import update
from nestling.sources.capture.sql.targets import is_unique, joined_row, target

FIRST_MATCH_ONLY = "it changes the first matching element; the SQL statement changes all matching elements"
_OF_NO_ELEMENT = ("$ne", "$nin", "$not", "$size", "$all")
"""Tests that no single element passes."""


def changes_in_elements(
    new: New, collection: str, search: WriteSearch, field: str, changes: list[ArrayChange], clauses: Mapping[str, Any]
) -> Iterator[Written]:
    """The statement that changes of elements come to, all of the same elements of the array `field`."""
    first, draft = changes[0], new()
    place = _place(new, collection, first)
    by_filter: dict[str, Any] = {}
    but = ""
    if place == "$":
        by_filter = _tests_of(search.condition, field)
        search, but = _found_by(new, draft, collection, search, field, by_filter)
    found = target(draft, collection, search, but=but)
    array = find(found.document, field).value
    assert isinstance(array, Many)
    row = array.join(False)[1]
    element = array.element(row)
    parent = joined_row(draft, found, row)
    texts = own_texts(draft, row, _meant(draft, element, field, place, by_filter, clauses))
    if place == ANY_KEY:
        draft.notes.append(
            f"`{first.path}` is one position in the array; the SQL statement changes all of its elements"
        )
    sets = list(_sets(draft, found.document, element, row, changes))
    if sets:
        yield field, update(row.entity, sets, " AND ".join(filter(None, [parent, *texts]))), draft


def _place(new: New, collection: str, change: ArrayChange) -> str:
    """The step of a path that says which elements are meant."""
    places = find(target(new(), collection, WriteSearch()).document, change.path).places
    if len(places) != 1:
        raise NotExpressible(f"`{change.operator}` of the array `{change.path}`")
    return places[0]


def _tests_of(condition: Mapping[str, Any], field: str) -> dict[str, Any]:
    """What a filter asks of an array's elements, by the path within them; raises NotExpressible where none passes alone."""
    found = {
        path[len(field) + 1 :]: tests
        for path, tests in condition.items()
        if path == field or path.startswith(f"{field}.")
    }
    if not found:
        raise NotExpressible(f"which element of `{field}` is meant by `$`")
    for tests in found.values():
        for name, operand in tests.items():
            if name in _OF_NO_ELEMENT or operand in (NULL_SHAPE, False):
                raise NotExpressible(f"which element of `{field}` is meant by `$`, as the filter uses `{name}`")
    return found


def _found_by(
    new: New, draft: StatementDraft, collection: str, search: WriteSearch, field: str, tests: Mapping[str, Any]
) -> tuple[WriteSearch, str]:
    """Which documents hold the elements, and the array whose tests they need not pass: those are asked of the elements."""
    trial = new()
    documents = target(trial, collection, WriteSearch(search.condition), but=field)
    array = find(documents.document, field).value
    assert isinstance(array, Many)
    row = array.join(False)[1]
    known = _known(array.element(row), tests)
    several = sum(1 if set(each) == {"$elemMatch"} else len(each) for each in tests.values())
    if several > 1 or _mentions(search.condition, field):
        draft.notes.append(f"all conditions on `{field}` are taken to apply to the same element")
    if _has_key(trial, row, known):
        return replace(search, one=False), field
    if not _has_key(trial, row, known | {name for name, _ in row.on}):
        draft.notes.append(FIRST_MATCH_ONLY)
    return search, field if not search.one or is_unique(trial, documents) else ""


def _known(element: FieldValue, tests: Mapping[str, Any]) -> set[str]:
    """The attributes of an element that have one value."""
    found: set[str] = set()
    for path, each in tests.items():
        inner = find(element, path).value if path else element
        if isinstance(inner, RowAttribute) and isinstance(each.get("$eq"), str):
            found.add(inner.attribute)
        elif isinstance(each.get("$elemMatch"), dict) and not path:
            within = {name: one for name, one in each["$elemMatch"].items() if not name.startswith("$")}
            found |= _known(element, within)
    return found


def _mentions(condition: Mapping[str, Any], field: str) -> bool:
    """Whether alternatives and the like in a filter ask something of the array besides."""
    inner = (each for name in ("$and", "$or", "$nor") for each in condition.get(name, ()))
    return any(path == field or path.startswith(f"{field}.") for each in inner for path in each)


def _has_key(draft: StatementDraft, row: EntityRow, known: set[str]) -> bool:
    entity = draft.design.model.entity(row.entity)
    return entity.is_superkey(known)


def _meant(
    draft: StatementDraft,
    element: FieldValue,
    field: str,
    place: str,
    by_filter: Mapping[str, Any],
    clauses: Mapping[str, Any],
) -> list[str]:
    """Which elements are meant: those the filter found, those of an array filter, or all."""
    if place == "$":
        return [text for path, tests in by_filter.items() for text in _of_element(draft, element, field, path, tests)]
    if place in ("$[]", ANY_KEY):
        return []
    name = place[2:-1]
    mine = [
        (path.partition(".")[2], tests)
        for each in clauses.get("arrayFilters", ())
        for path, tests in each.items()
        if path.partition(".")[0] == name
    ]
    if not mine:
        raise NotExpressible(f"which elements of `{field}` are meant by `{place}`")
    return [text for path, tests in mine for text in _of_element(draft, element, name, path, tests)]


def _of_element(
    draft: StatementDraft, element: FieldValue, array: str, path: str, tests: Mapping[str, Any]
) -> list[str]:
    """What is asked of an element, or of what lies under a path in it."""
    if path:
        with draft.parameters.inside(array):
            return conditions(draft, element, {path: tests})
    if isinstance(element, RowAttribute):
        inner = tests["$elemMatch"] if set(tests) == {"$elemMatch"} else tests
        return element_conditions(draft, element, array, inner)
    if set(tests) != {"$elemMatch"}:
        raise NotExpressible(f"elements of `{array}` compared as a whole")
    with draft.parameters.inside(array):
        return conditions(draft, element, tests["$elemMatch"])


def _sets(
    draft: StatementDraft, document: FieldValue, element: FieldValue, row: EntityRow, changes: list[ArrayChange]
) -> Iterator[tuple[str, str]]:
    """The attributes of an element that the changes set, with their new values."""
    for change in changes:
        rest = find(document, change.path).rest
        inner = find(element, rest).value if rest else element
        if is_upkeep(inner):
            continue
        if not isinstance(inner, RowAttribute) or inner.row is not row or (inner is element and change.empties):
            raise NotExpressible(f"`{change.operator}` of the array `{change.path}`")
        yield inner.attribute, assigned(draft, inner, change.operator, change.operand, change.path)
