"""Changes of the elements of an array: rows added, removed, changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from nestling.sources.capture.sql.assignments import assigned, is_upkeep
from nestling.sources.capture.sql.documents import StatementDraft
from nestling.sources.capture.sql.entity_rows import TOKEN, Row
from nestling.sources.capture.sql.field_values import CannotSay, DocumentTree, Many, RowAttribute, Value
from nestling.sources.capture.sql.filters import conditions, tested
from nestling.sources.capture.sql.paths import find
from nestling.sources.capture.sql.query import RowsQuery
from nestling.sources.capture.sql.statement_texts import delete, insert, update
from nestling.sources.capture.sql.targets import OWN, WriteTarget, joined_row, target

Clauses = dict[str, Any]
Change = tuple[str, str, Any]
"""An operator, the path it changes, its operand."""


def is_home(array: Many) -> bool:
    """Whether the elements are the rows themselves, and no copies of them."""
    return array.limit is None and not array.own and not array.join(False)[1].is_copy


def changes_of_elements(
    new: Callable[[], StatementDraft], collection: str, condition: Clauses, change: Change, clauses: Clauses
) -> Iterator[tuple[str, str, StatementDraft]]:
    """The statement a change of an array's elements comes to."""
    operator, path, operand = change
    saying = new()
    field = _array_path(target(new(), collection, {}).document, path)
    adds = operator in ("$push", "$addToSet")
    found = target(saying, collection, condition, but="" if adds else field)
    array = find(found.document, path)
    assert isinstance(array.value, Many)
    row = array.value.join(False)[1]
    element = array.value.element(row)
    if adds and not array.rest:
        each = operand["$each"] if isinstance(operand, dict) and "$each" in operand else [operand]
        yield field, _added(saying, found, array.value.name, element, row, each), saying
        return
    which = [
        joined_row(saying, found, row),
        *_meant(saying, element, row, (operator, field, operand), condition, clauses),
    ]
    if operator in ("$pull", "$pop") and not array.rest:
        yield field, delete(row.entity, " AND ".join(which)), saying
        return
    inner = find(element, array.rest).value if array.rest else element
    if is_upkeep(inner):
        return
    if not isinstance(inner, RowAttribute) or inner.row is not row or isinstance(operand, list):
        raise CannotSay(f"`{operator}` of the array `{path}`")
    text = assigned(saying, inner, operator, operand, path)
    yield field, update(row.entity, [(inner.attribute, text)], " AND ".join(which)), saying


def _array_path(document: DocumentTree, path: str) -> str:
    """The part of a path that names the array."""
    steps = path.split(".")
    upto = [".".join(steps[:count]) for count in range(1, len(steps) + 1)]
    return next(each for each in upto if isinstance(find(document, each).value, Many))


def _meant(
    saying: StatementDraft, element: Value, row: Row, change: Change, condition: Clauses, clauses: Clauses
) -> list[str]:
    """Which elements are meant: by `$pull`, by the filter, or by array filters."""
    row.after, row.on = None, ()  # the statement is of these rows alone
    query = RowsQuery(saying.rows, row)
    saying.rows.name(row, OWN)
    texts = (
        _pulled(saying, element, change)
        if change[0] == "$pull"
        else _found(saying, element, change[1], condition, clauses)
    )
    return [query.said(text).replace(f"{OWN}.", "") for text in texts]


def _pulled(saying: StatementDraft, element: Value, change: Change) -> list[str]:
    _, field, operand = change
    if not isinstance(operand, dict):
        raise CannotSay(f"`$pull` from `{field}`")
    if isinstance(element, RowAttribute):
        return list(tested(saying, element, field, operand))
    return conditions(saying, element, operand)


def _found(saying: StatementDraft, element: Value, field: str, condition: Clauses, clauses: Clauses) -> list[str]:
    made: list[str] = []
    for path, tests in condition.items():
        if path == field and "$elemMatch" in tests:
            made += conditions(saying, element, tests["$elemMatch"])
        elif path == field and isinstance(element, RowAttribute):
            made += tested(saying, element, field, tests)
        elif path.startswith(f"{field}."):
            made += conditions(saying, element, {path[len(field) + 1 :]: tests})
    for each in clauses.get("arrayFilters", ()):
        made += conditions(saying, element, {name.partition(".")[2]: tests for name, tests in each.items()})
    return made


def _added(saying: StatementDraft, found: WriteTarget, name: str, element: Value, row: Row, each: list[Any]) -> str:
    """New elements: new rows of the target's."""
    values = {own: found.equal(match[2]) for own, text in row.on if (match := TOKEN.fullmatch(text)) is not None}
    if not values or not all(values.values()):
        raise CannotSay(f"new elements of `{name}` in documents found by other than their key")
    if isinstance(element, RowAttribute):
        values[element.attribute] = saying.parameters.new(element.attribute)
    for path in each[0] if each and isinstance(each[0], dict) else ():
        inner = find(element, path).value
        if isinstance(inner, RowAttribute) and inner.row is row:
            values[inner.attribute] = saying.parameters.new(inner.attribute, f"{name}.{path} $push")
    return insert(row.entity, values, values.values())
