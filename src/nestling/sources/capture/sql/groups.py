"""`$group`."""

from __future__ import annotations

from typing import Any

from nestling.ir.capture.masks import NULL_SHAPE
from nestling.sources.capture.sql.documents import StatementDraft
from nestling.sources.capture.sql.entity_rows import TOKEN
from nestling.sources.capture.sql.expressions import scalar, value
from nestling.sources.capture.sql.field_values import (
    DocumentTree,
    FieldValue,
    Many,
    NotExpressible,
    RowAttribute,
    Sql,
    Unmapped,
)
from nestling.sources.capture.sql.state import StatementState

_AGGREGATES = {"$sum": "SUM", "$avg": "AVG", "$min": "MIN", "$max": "MAX"}


def group(state: StatementState, body: Any) -> None:
    """Group the rows; raises NotExpressible."""
    if state.query.grouped or state.query.limit or state.query.offset:
        state.settle()
    key = body.get("_id")
    constant = key is None or key in (NULL_SHAPE, "?string", "?number") or isinstance(key, int)
    keys = DocumentTree({}) if constant else value(state.draft, state.document, key)
    groups: list[str] = []
    _gather(keys, groups)
    groups = [text for text in groups if TOKEN.search(text)]
    if not groups:
        keys = DocumentTree({})
    fields: dict[str, FieldValue] = {"_id": keys}
    for name, each in body.items():
        if name != "_id":
            fields[name] = _accumulated(state.draft, state.document, name, each)
    query = state.query
    query.groups, query.grouped, query.order = groups, True, []
    state.document = DocumentTree(fields)


def _gather(found: FieldValue, texts: list[str]) -> None:
    match found:
        case RowAttribute() | Sql():
            texts.append(found.text)
        case DocumentTree(fields, row, key) if not fields and row is not None and key:
            texts.append(RowAttribute(row, key).text)
        case DocumentTree():
            for inner in found.fields.values():
                _gather(inner, texts)
        case Unmapped(why):
            raise NotExpressible(why)
        case Many():
            raise NotExpressible("grouping by an array")


def _accumulated(draft: StatementDraft, document: FieldValue, name: str, body: Any) -> FieldValue:
    if not isinstance(body, dict) or len(body) != 1:
        raise NotExpressible("an accumulator nestling does not know")
    (operator, operand), *_ = body.items()
    if operator == "$count" or (operator == "$sum" and operand == 1):
        return Sql("COUNT(*)", name, may_be_null=False)
    if operator not in _AGGREGATES:
        return Unmapped(f"the accumulator `{operator}`")
    inner = scalar(draft, document, operand)
    text = f"{_AGGREGATES[operator]}({inner.text})"
    if operator == "$sum" and inner.may_be_null:
        return Sql(f"COALESCE({text}, 0)", name, may_be_null=False)
    return Sql(text, name, may_be_null=inner.may_be_null)
