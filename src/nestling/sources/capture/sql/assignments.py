"""Update operators as new values of attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nestling.ir.capture.masks import NULL_SHAPE
from nestling.ir.types import TIMES
from nestling.sources.capture.sql.documents import StatementDraft
from nestling.sources.capture.sql.entity_rows import TOKEN
from nestling.sources.capture.sql.expressions import scalar
from nestling.sources.capture.sql.field_values import (
    DocumentTree,
    FieldValue,
    NotExpressible,
    RowAttribute,
    Sql,
    Unmapped,
)
from nestling.sources.capture.sql.paths import find
from nestling.sources.capture.sql.targets import OWN_ALIAS, WriteTarget
from nestling.sources.capture.sql.words import quoted

_GIVEN = ("$set", "$inc", "$mul", "$min", "$max")


def assigned(draft: StatementDraft, column: RowAttribute, operator: str, operand: Any, path: str) -> str:
    """The new value of an attribute, whose old value is its bare name; raises NotExpressible."""
    if operator in _GIVEN and isinstance(operand, dict | list):
        raise NotExpressible(f"a document or list as the value of `{path}`")
    if operator == "$unset" or (operator == "$set" and operand == NULL_SHAPE):
        return _nothing(draft, column, path)
    if operator == "$currentDate":
        return _now(draft, column, path)
    if operator not in _GIVEN:
        raise NotExpressible(f"`{operator}` of `{path}`")
    name = column.attribute if operator == "$set" else f"{column.attribute}_by"
    given = draft.parameters.new(name, f"{path} {operator}")
    if operator == "$min" and column.nullable:
        draft.notes.append(f"`$min` keeps a null in `{path}`; the SQL statement treats it as a missing field")
    return _of_old(quoted(column.attribute), operator, given, may_be_null=column.nullable)


def _of_old(own: str, operator: str, given: str, *, may_be_null: bool) -> str:
    """The new value as it follows from the old one."""
    known = f"COALESCE({own}, 0)" if may_be_null else own
    match operator:
        case "$inc":
            return f"{known} + {given}"
        case "$mul":
            return f"{known} * {given}"
        case "$min":
            return f"CASE WHEN {own} < {given} THEN {own} ELSE {given} END"
        case "$max":
            return f"CASE WHEN {own} > {given} THEN {own} ELSE {given} END"
        case _:
            return given


def _nothing(draft: StatementDraft, column: RowAttribute, path: str) -> str:
    if not column.nullable:
        draft.notes.append(
            f"`{path}` is in all documents, so the model has it as NOT NULL: in SQL it cannot be removed"
        )
    return "NULL"


def _now(draft: StatementDraft, column: RowAttribute, path: str) -> str:
    kind = draft.design.model.entity(column.row.entity).attribute(column.attribute).type.name
    if kind not in TIMES:
        raise NotExpressible(f"`$currentDate` of `{path}`, which is not a date")
    return "CURRENT_TIMESTAMP"


def staged(draft: StatementDraft, target: WriteTarget, stages: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """The assignments of an update's pipeline, whose stages follow each other."""
    before: set[str] = set()
    for stage in stages:
        made = list(_of_stage(draft, target, stage))
        read = {match[2] for _, text in made for match in TOKEN.finditer(text)}
        if before & {*read, *(attribute for attribute, _ in made)}:
            raise NotExpressible("a pipeline with stages that read or change a field set by an earlier stage")
        before.update(attribute for attribute, _ in made)
        draft.rows.name(target.row, OWN_ALIAS)
        yield from ((attribute, target.query.named(text).replace(f"{OWN_ALIAS}.", "")) for attribute, text in made)


def _of_stage(draft: StatementDraft, target: WriteTarget, stage: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The attributes a stage sets, and their values with tokens for what these read."""
    (name, body), *_ = stage.items()
    if name not in ("$set", "$addFields", "$unset"):
        raise NotExpressible(f"the stage `{name}` in an update")
    taken = name == "$unset"
    paths = dict.fromkeys([body] if isinstance(body, str) else body, NULL_SHAPE) if taken else body
    for path, each in paths.items():
        found = find(target.document, path).value
        if isinstance(found, RowAttribute) and found.row is target.row:
            yield (
                found.attribute,
                assigned(draft, found, "$unset", True, path) if taken else scalar(draft, target.document, each).text,
            )
        elif isinstance(found, Unmapped):
            draft.notes.append(f"left out: {found.why}")
        elif not is_upkeep(found):
            raise NotExpressible(f"a change of `{path}` in a pipeline")


def is_upkeep(found: FieldValue) -> bool:
    """Whether a change of it only keeps a copy or a computed value right."""
    return isinstance(found, Sql) or (
        isinstance(found, RowAttribute | DocumentTree) and found.row is not None and found.row.is_copy
    )
