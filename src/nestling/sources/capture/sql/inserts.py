"""Inserts: a document as the rows it holds, parents first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from nestling.ir.storage.layout import NodeKind
from nestling.sources.capture.sql.documents import StatementDraft
from nestling.sources.capture.sql.entity_rows import TOKEN, EntityRow
from nestling.sources.capture.sql.field_values import (
    Discriminator,
    DocumentTree,
    FieldValue,
    Many,
    NotExpressible,
    RowAttribute,
    Unmapped,
)
from nestling.sources.capture.sql.paths import find
from nestling.sources.capture.sql.statement_texts import insert

NOT_KNOWN = (
    "the inserted documents are unknown, as the server does not log them: assumed to have all attributes, and one row in each"
    " array to which no update adds elements"
)


def inserts(
    new: Callable[[], StatementDraft], collection: str, documents: list[Any], grown: AbstractSet[str] = frozenset()
) -> Iterator[tuple[str, str, StatementDraft]]:
    """An INSERT for the document's own row and each row embedded in it; the documents' shapes are taken together.

    `grown`: the paths of arrays that updates add to, which documents of an unknown shape are taken to begin without.
    """
    whole: dict[str, Any] = {} if documents else _everything(new(), collection, grown)
    for each in documents:
        _merge(whole, each)
    for place in range(len(_rows(new(), collection, whole))):
        draft = new()
        part = _rows(draft, collection, whole)[place]
        if not documents:
            draft.notes.append(NOT_KNOWN)
        elif part.in_array:
            draft.notes.append(f"the number of elements in `{part.path}` is unknown; the SQL statement inserts one row")
        draft.notes += [f"left out: {why}" for why in part.left]
        if not part.columns:
            raise NotExpressible("a document without attributes of the model")
        values = (draft.parameters.new(column, f"{field} $set") for column, field in part.columns.items())
        yield part.path, insert(part.row.entity, part.columns, values), draft


def _everything(draft: StatementDraft, collection: str, grown: AbstractSet[str]) -> dict[str, Any]:
    """The shape of a document with all attributes of its own row, and of one row in each array but the grown ones."""
    query, document = draft.opened(collection)

    def fields(value: FieldValue, row: EntityRow, base: str) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, inner in value.fields.items() if isinstance(value, DocumentTree) else ():
            path = f"{base}{name}"
            match inner:
                case RowAttribute() if inner.row is row:
                    made[name] = "?"
                case DocumentTree(row=its) if its is None or its is row or (its.after is row and not its.is_copy):
                    made[name] = fields(inner, its or row, f"{path}.")
                case Many() if inner.limit is None and path not in grown:
                    _, its = inner.join(False)
                    if not its.is_copy:
                        made[name] = [fields(inner.element(its), its, f"{path}.")]
        return made

    return fields(document, query.root, "")


def _merge(whole: dict[str, Any], found: Any) -> None:
    """Put the fields of a document's shape to those of others."""
    for name, each in found.items() if isinstance(found, dict) else ():
        if isinstance(each, dict):
            inner = whole.setdefault(name, {})
            if isinstance(inner, dict):
                _merge(inner, each)
        elif isinstance(each, list):
            inner = whole.setdefault(name, [])
            if isinstance(inner, list):
                inner += each
        else:
            whole.setdefault(name, each)


_Columns = dict[str, str]
"""Attributes, each with the path its value is under in the whole document."""


@dataclass(slots=True)
class DocumentRow:
    """A row of a document: the array or sub-document it is in, its attributes, and why fields of it are left out."""

    path: str
    row: EntityRow
    columns: _Columns
    in_array: bool = False
    left: list[str] = field(default_factory=list)


def rows_within(element: FieldValue, row: EntityRow, documents: list[Any]) -> list[DocumentRow]:
    """The row of an array's element and the rows within it; the documents' shapes are taken together."""
    found: list[DocumentRow] = []
    _collect(element, row, _together(documents), {}, "", found)
    return found


def _rows(draft: StatementDraft, collection: str, whole: dict[str, Any]) -> list[DocumentRow]:
    """The rows of a document."""
    node = draft.store(collection).roots[0]
    query, document = draft.opened(collection)
    if node.kind is NodeKind.GROUP:
        raise NotExpressible("new buckets of events")
    found: list[DocumentRow] = []
    _collect(document, query.root, whole, {}, "", found)
    return found


@dataclass(frozen=True, slots=True)
class _Inner:
    """What lies within a row: a row of its own."""

    value: FieldValue
    row: EntityRow
    fields: dict[str, Any]
    path: str
    in_array: bool


def _collect(
    value: FieldValue,
    row: EntityRow,
    whole: dict[str, Any],
    above: _Columns,
    base: str,
    found: list[DocumentRow],
    *,
    in_array: bool = False,
) -> None:
    """Add the row of a document, whose parent's attributes are at `above`, and the rows within it."""
    columns = {own: above.get(match[2], "") for own, text in row.on if (match := TOKEN.fullmatch(text)) is not None}
    part = DocumentRow(base.rstrip("."), row, columns, in_array)
    if isinstance(value, RowAttribute):  # an array of values
        columns[value.attribute] = part.path
    found.append(part)
    for inner in list(_fields(value, row, whole, base, part)):
        _collect(inner.value, inner.row, inner.fields, columns, f"{inner.path}.", found, in_array=inner.in_array)


def _fields(value: FieldValue, row: EntityRow, whole: dict[str, Any], base: str, part: DocumentRow) -> Iterator[_Inner]:
    """Note the attributes of a row; what is yielded are rows within it."""
    for name, each in whole.items():
        inner, path = find(value, name).value, f"{base}{name}"
        match inner:
            case RowAttribute() if inner.row is row:
                part.columns[inner.attribute] = path
            case DocumentTree(row=its) if its is None or its is row:
                yield from _fields(inner, row, each if isinstance(each, dict) else {}, f"{path}.", part)
            case DocumentTree(row=its) if (
                its is not None and not its.is_copy and isinstance(each, dict) and its.after is row
            ):
                yield _Inner(inner, its, each, path, in_array=False)
            case Many() if isinstance(each, list) and each and inner.limit is None:
                _, its = inner.join(False)
                if not its.is_copy:
                    yield _Inner(inner.element(its), its, _together(each), path, in_array=True)
            case Unmapped() if not isinstance(inner, Discriminator):
                part.left.append(inner.why)
            case _:
                continue  # a copy, or a computed value


def _together(elements: list[Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for each in elements:
        _merge(fields, each)
    return fields
