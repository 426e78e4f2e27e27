"""One command for many rows: what is equal for rows with values in the same columns is computed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pymongo import UpdateMany, UpdateOne

from nestling.executors.write_program import ready
from nestling.ir.nested_values import with_leaves
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

        def put(leaf: object) -> object:
            return row[leaf.column] if isinstance(leaf, _Mark) else leaf

        filters = [with_leaves(each, put) for each in marked.array_filters]
        kind = UpdateMany if self._command.action is Action.UPDATE_MANY else UpdateOne
        where, change = with_leaves(marked.filter or {}, put), with_leaves(marked.update or {}, put)
        return kind(where, change, array_filters=filters or None)
