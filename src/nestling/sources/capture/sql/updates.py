"""Updates: which rows each of their changes is of, and the statements that come of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nestling.sources.capture.sql.array_changes import ArrayChange, change_of_array, is_home
from nestling.sources.capture.sql.assignments import assigned, is_upkeep, staged
from nestling.sources.capture.sql.documents import New, StatementDraft, Written
from nestling.sources.capture.sql.element_changes import changes_in_elements
from nestling.sources.capture.sql.entity_rows import EntityRow
from nestling.sources.capture.sql.field_values import (
    DocumentTree,
    FieldValue,
    Many,
    NotExpressible,
    OfOtherKind,
    RowAttribute,
    Unmapped,
)
from nestling.sources.capture.sql.paths import PathTarget, find
from nestling.sources.capture.sql.searches import WriteSearch
from nestling.sources.capture.sql.statement_texts import delete, update
from nestling.sources.capture.sql.targets import WriteTarget, joined_row, target, where

Clauses = Mapping[str, Any]
_IN_ELEMENTS = ("$set", "$unset", "$inc", "$mul", "$min", "$max", "$currentDate")
_Group = tuple[str, ...]


def updates(new: New, collection: str, search: WriteSearch, changes: Any, clauses: Clauses) -> Iterator[Written]:
    """The statements an update comes to."""
    if isinstance(changes, list):
        draft = new()
        found = target(draft, collection, search)
        yield from _update(draft, found, list(staged(draft, found, changes)))
        return
    document = target(new(), collection, WriteSearch()).document
    groups: dict[_Group, list[ArrayChange]] = {}
    left: list[Unmapped] = []
    for change in _changes(document, changes):
        found_there = find(document, change.path)
        if isinstance(found_there.value, Unmapped):
            left.append(found_there.value)
        elif not _is_upkeep(found_there.value):
            groups.setdefault(_group(document, change, found_there), []).append(change)
    made = [one for group, each in groups.items() for one in _statements(new, collection, search, group, each, clauses)]
    telling = [each for each in left if isinstance(each, OfOtherKind) or each.why.endswith("lies within a value")]
    if telling and not made:
        raise telling[0].refusal()
    for _, _, draft in made:
        draft.notes += [f"left out: {each.why}" for each in left]
    yield from made


def _changes(document: DocumentTree, changes: Clauses) -> Iterator[ArrayChange]:
    """The changes of single fields an update comes to."""
    if not any(name.startswith("$") for name in changes):  # the document that takes the old one's place
        yield from _replaced(document, "", changes)
        return
    for operator, fields in changes.items():
        for path, operand in fields.items() if operator != "$setOnInsert" and isinstance(fields, dict) else ():
            yield from _spread(document, ArrayChange(operator, path, operand))


def _spread(document: DocumentTree, change: ArrayChange) -> Iterator[ArrayChange]:
    """A change of a whole sub-document as one of each field in it."""
    value = find(document, change.path).value
    if change.operator not in ("$set", "$unset") or not isinstance(value, DocumentTree) or is_upkeep(value):
        yield change
    elif change.operator == "$set" and isinstance(change.operand, dict) and change.operand:
        yield from _replaced(value, f"{change.path}.", change.operand, document)
    elif value.row is None and change.empties:
        for name in value.fields:
            yield from _spread(document, ArrayChange("$unset", f"{change.path}.{name}", True))
    else:
        yield change


def _replaced(
    value: DocumentTree, base: str, fields: Clauses, document: DocumentTree | None = None
) -> Iterator[ArrayChange]:
    """What a document comes to that takes another's place: fields that are set, and those that go."""
    whole = document or value
    for name, operand in fields.items():
        if base or name != "_id":
            yield from _spread(whole, ArrayChange("$set", f"{base}{name}", operand))
    for name in value.fields:
        if name not in fields and (base or name != "_id"):
            yield from _spread(whole, ArrayChange("$unset", f"{base}{name}", True))


def _is_upkeep(value: FieldValue) -> bool:
    return is_upkeep(value) or (isinstance(value, Many) and not is_home(value))


def _group(document: DocumentTree, change: ArrayChange, found: PathTarget) -> _Group:
    """What a change is of; those of the same are one statement."""
    match found.value:
        case Many() if found.value.refers:
            raise NotExpressible(
                f"`{change.operator}` of `{change.path}`, which are keys of rows in a separate collection"
            )
        case Many():
            field = _array_path(document, change.path)
            inside = change.operator in _IN_ELEMENTS and change.path != field
            return ("elements", field, *found.places) if inside else ("array", field, change.operator, change.path)
        case RowAttribute(row) if row is document.row:
            return ("own",)
        case RowAttribute(row):
            return ("row", str(row.number), change.path.rpartition(".")[0])
        case _:
            return ("document", change.path)


def _array_path(document: FieldValue, path: str) -> str:
    """The part of a path that names the array."""
    steps = path.split(".")
    upto = [".".join(steps[:count]) for count in range(1, len(steps) + 1)]
    return next(each for each in upto if isinstance(find(document, each).value, Many))


def _statements(
    new: New, collection: str, search: WriteSearch, group: _Group, changes: list[ArrayChange], clauses: Clauses
) -> Iterator[Written]:
    match group[0]:
        case "array":
            yield from change_of_array(new, collection, search, group[1], changes[0])
        case "elements":
            yield from changes_in_elements(new, collection, search, group[1], changes, clauses)
        case "document":
            yield _of_document(new, collection, search, changes[0])
        case _:
            yield from _of_row(new, collection, search, group, changes)


def _of_row(
    new: New, collection: str, search: WriteSearch, group: _Group, changes: list[ArrayChange]
) -> Iterator[Written]:
    """Changes of the document's own row, or of one embedded in it."""
    draft = new()
    found = target(draft, collection, search)
    sets, row = [], found.row
    for change in changes:
        value = find(found.document, change.path).value
        assert isinstance(value, RowAttribute)
        row = value.row
        sets.append((value.attribute, assigned(draft, value, change.operator, change.operand, change.path)))
    if row is found.row:
        yield from _update(draft, found, sets)
        return
    if not all(change.empties for change in changes) and not _is_always_there(draft, found, row):
        what = f"`{group[2]}`" if group[2] else f"a row of `{row.entity}`"
        draft.notes.append(f"if {what} is missing, MongoDB creates it; the SQL statement changes nothing")
    yield group[2], update(row.entity, sets, joined_row(draft, found, row)), draft


def _is_always_there(draft: StatementDraft, found: WriteTarget, row: EntityRow) -> bool:
    """Whether every document was found to have this row."""
    links = draft.design.model.parents_of(row.entity)
    names = [link.name for link in links if link.parent == found.row.entity]
    means = [draft.statistics.relationship(name).mean for name in names]
    return any(mean is not None and mean.value >= 1 for mean in means)


def _of_document(new: New, collection: str, search: WriteSearch, change: ArrayChange) -> Written:
    """A change of an embedded document as a whole: only that it goes can be said."""
    draft = new()
    found = target(draft, collection, search)
    value = find(found.document, change.path).value
    if not isinstance(value, DocumentTree) or value.row is None or not change.empties:
        raise NotExpressible(f"`{change.operator}` of the document `{change.path}`")
    return change.path, delete(value.row.entity, joined_row(draft, found, value.row)), draft


def _update(draft: StatementDraft, found: WriteTarget, sets: list[tuple[str, str]]) -> Iterator[Written]:
    if sets:
        yield "", update(found.row.entity, sets, where(draft, found)), draft
