"""Update operators as new values of attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nestling.sources.capture.sql.documents import StatementDraft
from nestling.sources.capture.sql.expressions import scalar
from nestling.sources.capture.sql.field_values import CannotSay, DocumentTree, RowAttribute, Sql, Unmapped, Value
from nestling.sources.capture.sql.paths import find
from nestling.sources.capture.sql.targets import OWN, WriteTarget
from nestling.sources.capture.sql.words import quoted

_GIVEN = ("$set", "$inc", "$mul", "$min", "$max")


def assigned(saying: StatementDraft, column: RowAttribute, operator: str, operand: Any, path: str) -> str:
    """The new value of an attribute, whose old one goes by its bare name; raises CannotSay."""
    if operator in _GIVEN and isinstance(operand, dict | list):
        raise CannotSay(f"a document or list as the value of `{path}`")
    if operator == "$unset" or (operator == "$set" and operand == "?null"):
        return "NULL"
    if operator == "$currentDate":
        return "CURRENT_TIMESTAMP"
    if operator not in _GIVEN:
        raise CannotSay(f"`{operator}` of `{path}`")
    name = column.attribute if operator == "$set" else f"{column.attribute}_by"
    given, own = saying.parameters.new(name, f"{path} {operator}"), quoted(column.attribute)
    known = f"COALESCE({own}, 0)" if column.nullable else own
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


def staged(saying: StatementDraft, target: WriteTarget, stage: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The assignments of a stage of an update's pipeline."""
    (name, body), *_ = stage.items()
    if name not in ("$set", "$addFields", "$unset"):
        raise CannotSay(f"the stage `{name}` in an update")
    paths = dict.fromkeys([body] if isinstance(body, str) else body, "?null") if name == "$unset" else body
    saying.rows.name(target.row, OWN)
    for path, each in paths.items():
        found = find(target.document, path).value
        if isinstance(found, RowAttribute) and found.row is target.row:
            text = target.query.said(scalar(saying, target.document, each).text)
            yield found.attribute, text.replace(f"{OWN}.", "")
        elif isinstance(found, Unmapped):
            saying.notes.append(f"left out: {found.why}")
        elif not is_upkeep(found):
            raise CannotSay(f"a change of `{path}` in a pipeline")


def is_upkeep(found: Value) -> bool:
    """Whether a change of it only keeps a copy or a computed value right."""
    return isinstance(found, Sql) or (
        isinstance(found, RowAttribute | DocumentTree) and found.row is not None and found.row.is_copy
    )
