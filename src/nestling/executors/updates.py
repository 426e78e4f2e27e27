"""One command for many rows: what is equal for rows with values in the same columns is computed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pymongo import UpdateMany, UpdateOne

from nestling.executors.write_program import ready
from nestling.ir.programs.program import Action, WriteCommand


@dataclass(frozen=True, slots=True, eq=False)
class _Mark:
    """Stands for the value of a column."""

    column: str


class Updates:
    """The updates a command makes of rows."""

    def __init__(self, command: WriteCommand) -> None:
        self._command = command
        self._shapes: dict[frozenset[str], WriteCommand] = {}

    def of(self, row: Mapping[str, object]) -> UpdateOne | UpdateMany:
        """The update of one row."""
        shape = frozenset(row)
        marked = self._shapes.get(shape)
        if marked is None:
            marked = self._shapes[shape] = ready(self._command, {name: _Mark(name) for name in row})
        filters = [_put(each, row) for each in marked.array_filters]
        kind = UpdateMany if self._command.action is Action.UPDATE_MANY else UpdateOne
        return kind(_put(marked.filter or {}, row), _put(marked.update or {}, row), array_filters=filters or None)


def _put(value: Any, row: Mapping[str, object]) -> Any:
    """The value with columns' values in place of their marks."""
    if isinstance(value, dict):
        return {name: _put(inner, row) for name, inner in value.items()}
    if isinstance(value, list):
        return [_put(inner, row) for inner in value]
    return row[value.column] if isinstance(value, _Mark) else value
