"""Stages of pipelines, each a step of a query in the making."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nestling.sources.capture.sql.documents import StatementDraft
from nestling.sources.capture.sql.expressions import NamedValues, scalar, value
from nestling.sources.capture.sql.field_values import (
    DocumentTree,
    FieldValue,
    Many,
    NotExpressible,
    RowAttribute,
    Sql,
    Unmapped,
)
from nestling.sources.capture.sql.filters import conditions
from nestling.sources.capture.sql.groups import group
from nestling.sources.capture.sql.joins import lookup
from nestling.sources.capture.sql.paths import find
from nestling.sources.capture.sql.prefilters import once
from nestling.sources.capture.sql.projections import place, projected, value_of_expression, without
from nestling.sources.capture.sql.state import StatementState


def run(state: StatementState, pipeline: list[dict[str, Any]]) -> None:
    """Carry out the stages; raises NotExpressible."""
    at, pipeline = 0, once(pipeline)
    while at < len(pipeline):
        stage = pipeline[at]
        if len(stage) != 1:
            raise NotExpressible("a stage with several operators")
        (name, body), *_ = stage.items()
        if name == "$unionWith" and _gives_no_rows_a_row(state, pipeline[at:]):
            at += 2
            continue
        step = _STAGES.get(name)
        if step is None:
            raise NotExpressible(f"the stage `{name}`")
        step(state, body)
        at += 1


def _gives_no_rows_a_row(state: StatementState, rest: list[dict[str, Any]]) -> bool:
    """Whether a row is added for the case that a whole has none, as SQL does by itself."""
    constant = [list(stage) for stage in rest[0]["$unionWith"].get("pipeline", [])] == [["$documents"]]
    return constant and state.query.grouped and not state.query.groups and rest[1:2] == [{"$limit": 1}]


def _match(state: StatementState, body: Any) -> None:
    query = state.query
    if query.limit or query.offset or query.distinct:
        state.settle()
    made = conditions(state.draft, state.document, body)
    if state.query.grouped:
        state.query.having += made
    else:
        state.query.keep(made)


def _sort(state: StatementState, body: Any) -> None:
    if state.query.limit or state.query.offset:
        state.settle()
    keys = []
    for path, way in body.items():
        found = find(state.document, path)
        if isinstance(found.value, Unmapped):
            raise found.value.refusal()
        if not way or found.rest or not isinstance(found.value, RowAttribute | Sql):
            raise NotExpressible(f"the order by `{path}`")
        keys.append((found.value.text, way < 0))
    state.query.order = keys


def _limit(state: StatementState, body: Any) -> None:
    if state.query.limit:
        state.settle()
    state.query.limit = str(body) if body else state.draft.parameters.new("limit")


def _skip(state: StatementState, body: Any) -> None:
    if state.query.limit:
        state.settle()
    state.query.offset = state.draft.parameters.new("offset", "skip" if body else "")


def _project(state: StatementState, body: Any) -> None:
    state.document = projected(state.draft, state.document, body)


def _set(state: StatementState, body: Any) -> None:
    if not isinstance(state.document, DocumentTree):
        raise NotExpressible("a field added to something other than a document")
    fields = dict(state.document.fields)
    for path, each in body.items():
        place(fields, path, value_of_expression(state.draft, state.document, each))
    state.document = DocumentTree(fields, state.document.row, state.document.key)


def _unset(state: StatementState, body: Any) -> None:
    if isinstance(state.document, DocumentTree):
        state.document = without(state.document, body if isinstance(body, list) else [body])


def _replace(state: StatementState, body: Any) -> None:
    found = body["newRoot"] if isinstance(body, dict) and set(body) == {"newRoot"} else body
    state.document = value(state.draft, state.document, found)


def _unwind(state: StatementState, body: Any) -> None:
    path = body["path"].lstrip("$")
    found = find(state.document, path)
    if isinstance(found.value, RowAttribute | DocumentTree) and not found.rest:  # one value, or the only row joined
        if not body.get("preserveNullAndEmptyArrays") and _may_lack(found.value):
            _match(state, {path: {"$exists": True}})
        return
    if not isinstance(found.value, Many) or found.rest or "includeArrayIndex" in body:
        raise NotExpressible(f"unwinding `{path}`")
    array = found.value
    if state.query.limit or state.query.offset or state.query.grouped:
        state.settle()
    last = state.query.open(array, outer=bool(body.get("preserveNullAndEmptyArrays")))
    if array.limit is not None:
        state.draft.notes.append(f"`{path}` keeps only the first {array.limit}; the SQL statement returns all")
    assert isinstance(state.document, DocumentTree)
    fields = dict(state.document.fields)
    place(fields, path, array.element(last))
    state.document = DocumentTree(fields, state.document.row, state.document.key)


def _may_lack(found: RowAttribute | DocumentTree) -> bool:
    return found.may_be_null if isinstance(found, RowAttribute) else found.row is not None and found.row.may_lack


def _count(state: StatementState, body: Any) -> None:
    group(state, {"_id": None, str(body): {"$sum": 1}})
    assert isinstance(state.document, DocumentTree)
    state.document = DocumentTree({str(body): state.document.fields[str(body)]})


def _sort_by_count(state: StatementState, body: Any) -> None:
    group(state, {"_id": body, "count": {"$sum": 1}})
    _sort(state, {"count": -1})


def _lookup(state: StatementState, body: Any) -> None:
    if state.query.grouped:
        state.settle()
    if not isinstance(state.document, DocumentTree):
        raise NotExpressible("a `$lookup` into something other than a document")
    joined = lookup(state.draft, state.query, state.document, body, _inner)
    fields = dict(state.document.fields)
    place(fields, body["as"], joined)
    state.document = DocumentTree(fields, state.document.row, state.document.key)


def _inner(
    draft: StatementDraft, document: FieldValue, pipeline: list[dict[str, Any]], names: NamedValues
) -> tuple[list[str], FieldValue]:
    """The conditions and the document of a `$lookup`'s pipeline: filters and projections, nothing that counts rows."""
    made: list[str] = []
    for stage in pipeline:
        (name, body), *_ = stage.items()
        match name:
            case "$match":
                plain = {key: test for key, test in body.items() if key != "$expr"}
                made += conditions(draft, document, plain)
                if "$expr" in body:
                    made += [scalar(draft, document, each, names).text for each in _conjuncts(body["$expr"])]
            case "$project":
                document = projected(draft, document, body)
            case "$set" | "$addFields" if isinstance(document, DocumentTree):
                fields = dict(document.fields)
                for path, each in body.items():
                    place(fields, path, value(draft, document, each, names))
                document = DocumentTree(fields, document.row, document.key)
            case "$sort":
                continue  # of rows that are joined one by one
            case "$unwind" if isinstance(find(document, body["path"].lstrip("$")).value, DocumentTree | RowAttribute):
                continue  # one row, joined by itself
            case "$replaceRoot" | "$replaceWith":
                document = value(draft, document, body["newRoot"] if set(body) == {"newRoot"} else body, names)
            case _:
                raise NotExpressible(f"the stage `{name}` within a `$lookup`")
    return made, document


def _conjuncts(found: Any) -> list[Any]:
    """The expressions that all must hold where one does."""
    if isinstance(found, dict) and isinstance(found.get("$and"), list):
        return [inner for each in found["$and"] for inner in _conjuncts(each)]
    return [found]


_Step = Callable[[StatementState, Any], None]
_STAGES: dict[str, _Step] = {
    "$match": _match,
    "$sort": _sort,
    "$limit": _limit,
    "$skip": _skip,
    "$project": _project,
    "$set": _set,
    "$addFields": _set,
    "$unset": _unset,
    "$replaceRoot": _replace,
    "$replaceWith": _replace,
    "$unwind": _unwind,
    "$group": group,
    "$count": _count,
    "$sortByCount": _sort_by_count,
    "$lookup": _lookup,
}
