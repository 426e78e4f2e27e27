"""Projections: what is left of a document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nestling.sources.capture.sql.documents import StatementDraft
from nestling.sources.capture.sql.entity_rows import EntityRow
from nestling.sources.capture.sql.expressions import value
from nestling.sources.capture.sql.field_values import DocumentTree, FieldValue, Many, NotExpressible, Unmapped
from nestling.sources.capture.sql.paths import find


def projected(draft: StatementDraft, document: FieldValue, body: dict[str, Any]) -> FieldValue:
    """The part of a document that a projection keeps."""
    if not isinstance(document, DocumentTree):
        raise NotExpressible("a projection of something other than a document")
    named = {name: each for name, each in _spread(body).items() if name != "_id"}
    leaves_out = bool(named) and all(each in (0, False) for each in named.values())
    if leaves_out or (not named and body.get("_id") in (0, False)):
        return without(document, [name for name, each in _spread(body).items() if each in (0, False)])
    fields: dict[str, FieldValue] = {}
    if body.get("_id", 1) in (1, True):
        named = {"_id": 1, **named}
    elif body["_id"] not in (0, False):
        named = {"_id": body["_id"], **named}
    for path, each in named.items():
        kept = find(document, path) if each in (1, True) and not isinstance(each, str) else None
        if kept is None:
            place(fields, path, value_of_expression(draft, document, each))
        elif kept.rest:  # part of each element of an array
            assert isinstance(kept.value, Many)
            upto = path[: -len(kept.rest) - 1]
            place(fields, upto, _narrowed(kept.value, kept.rest, fields.get(upto)))
        else:
            place(fields, path, kept.value)
    return DocumentTree(fields, document.row, document.key)


def value_of_expression(draft: StatementDraft, document: FieldValue, each: Any) -> FieldValue:
    """What an expression is; `Unmapped` if SQL cannot say it. Raises NotExpressible if it reads the rows of an array."""
    try:
        return value(draft, document, each)
    except NotExpressible as problem:  # said only where it is asked for
        if any(isinstance(find(document, path).value, Many) for path in _paths(each)):
            raise
        return Unmapped(str(problem))


def _paths(expression: Any) -> Iterator[str]:
    """The paths an expression reads."""
    if isinstance(expression, str) and expression.startswith("$") and not expression.startswith("$$"):
        yield expression[1:]
    elif isinstance(expression, dict | list):
        for each in expression.values() if isinstance(expression, dict) else expression:
            yield from _paths(each)


def _spread(body: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested inclusions by their dotted paths."""
    made: dict[str, Any] = {}
    for name, each in body.items():
        path = f"{prefix}{name}"
        nested = isinstance(each, dict) and each and not any(key.startswith("$") for key in each)
        made |= _spread(each, f"{path}.") if nested else {path: each}
    return made


def _narrowed(array: Many, path: str, known: FieldValue | None) -> Many:
    def element(row: EntityRow) -> FieldValue:
        whole = array.element(row)
        fields: dict[str, FieldValue] = {}
        if isinstance(known, Many) and isinstance(before := known.element(row), DocumentTree):
            fields |= before.fields
        place(fields, path, find(whole, path).value)
        return DocumentTree(fields, row)

    return Many(array.name, array.join, element, array.order, array.limit, array.own)


def place(fields: dict[str, FieldValue], path: str, made: FieldValue) -> None:
    """Put a value under a dotted path."""
    first, _, rest = path.partition(".")
    if not rest:
        fields[first] = made
        return
    inner = fields.get(first)
    below = dict(inner.fields) if isinstance(inner, DocumentTree) else {}
    place(below, rest, made)
    fields[first] = DocumentTree(below, inner.row if isinstance(inner, DocumentTree) else None)


def without(document: DocumentTree, paths: list[str]) -> DocumentTree:
    """A document without these paths."""
    fields = dict(document.fields)
    for path in paths:
        first, _, rest = path.partition(".")
        inner = fields.get(first)
        if not rest:
            fields.pop(first, None)
        elif isinstance(inner, DocumentTree):
            fields[first] = without(inner, [rest])
    return DocumentTree(fields, document.row, document.key)
