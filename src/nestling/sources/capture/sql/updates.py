"""Updates of a document's own row and of the rows embedded in it one to one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from nestling.sources.capture.sql.array_changes import changes_of_elements, is_home
from nestling.sources.capture.sql.assignments import assigned, is_upkeep, staged
from nestling.sources.capture.sql.documents import StatementDraft
from nestling.sources.capture.sql.field_values import CannotSay, DocumentTree, Many, RowAttribute, Unmapped
from nestling.sources.capture.sql.paths import find
from nestling.sources.capture.sql.statement_texts import update
from nestling.sources.capture.sql.targets import WriteTarget, joined_row, target, where

New = Callable[[], StatementDraft]
Written = tuple[str, str, StatementDraft]
Clauses = dict[str, Any]


def updates(new: New, collection: str, condition: Clauses, changes: Any, clauses: Clauses) -> Iterator[Written]:
    """The statements an update comes to."""
    if isinstance(changes, list):
        saying = new()
        found = target(saying, collection, condition)
        yield from _update(saying, found, [each for stage in changes for each in staged(saying, found, stage)], clauses)
        return
    if not any(name.startswith("$") for name in changes):
        changes = {"$set": {name: each for name, each in changes.items() if name != "_id"}}
    document = target(new(), collection, {}).document
    changes = {operator: _spread(document, operator, fields) for operator, fields in changes.items()}
    yield from _own(new, collection, condition, changes, clauses)
    for operator, fields in changes.items():
        for path, operand in fields.items() if isinstance(fields, dict) else ():
            if operator != "$setOnInsert":
                yield from _inner(new, collection, condition, (operator, path, operand), clauses)


def _spread(document: DocumentTree, operator: str, fields: Any) -> Any:
    """A change of whole sub-documents as one of each field in them."""
    if operator not in ("$set", "$unset") or not isinstance(fields, dict):
        return fields
    return {
        inner: each for path, operand in fields.items() for inner, each in _parts(document, operator, path, operand)
    }


def _parts(document: DocumentTree, operator: str, path: str, operand: Any) -> Iterator[tuple[str, Any]]:
    value = find(document, path).value
    parts: dict[str, Any] = {}
    if isinstance(value, DocumentTree) and not is_upkeep(value):
        if operator == "$set" and isinstance(operand, dict):
            parts = operand
        elif value.row is None and (operator == "$unset" or operand == "?null"):
            parts = dict.fromkeys(value.fields, operand)
    if not parts:
        yield path, operand
    for name, each in parts.items():
        yield from _parts(document, operator, f"{path}.{name}", each)


def _own(new: New, collection: str, condition: Clauses, changes: Clauses, clauses: Clauses) -> Iterator[Written]:
    """The change of the document's own row."""
    saying = new()
    found = target(saying, collection, condition)
    sets = []
    for operator, fields in changes.items():
        for path, operand in fields.items() if isinstance(fields, dict) and operator != "$setOnInsert" else ():
            value = find(found.document, path).value
            if isinstance(value, RowAttribute) and value.row is found.row:
                sets.append((value.attribute, assigned(saying, value, operator, operand, path)))
            elif isinstance(value, Unmapped) and operator != "$unset":
                saying.notes.append(f"left out: {value.why}")
    yield from _update(saying, found, sets, clauses)


def _update(
    saying: StatementDraft, found: WriteTarget, sets: list[tuple[str, str]], clauses: Clauses
) -> Iterator[Written]:
    if not sets:
        return
    key = saying.design.model.entity(found.row.entity).key
    if clauses.get("upsert"):
        saying.notes.append("it inserts where nothing is found; SQL only updates")
    if not clauses.get("multi") and not all(found.equal(name) for name in key):
        saying.notes.append("it changes one of the documents found; SQL changes all")
    yield "", update(found.row.entity, sets, where(saying, found)), saying


def _inner(
    new: New, collection: str, condition: Clauses, change: tuple[str, str, Any], clauses: Clauses
) -> Iterator[Written]:
    """A change of rows embedded in the document."""
    operator, path, operand = change
    saying = new()
    found = target(saying, collection, condition)
    value = find(found.document, path).value
    match value:
        case Many() if is_home(value):
            yield from changes_of_elements(new, collection, condition, change, clauses)
        case RowAttribute(row) if row is not found.row and not row.is_copy:
            text = assigned(saying, value, operator, operand, path)
            yield path, update(row.entity, [(value.attribute, text)], joined_row(saying, found, row)), saying
        case DocumentTree(_, row) if row is not found.row and not is_upkeep(value):
            raise CannotSay(f"`{operator}` of the document `{path}`")
