"""From rows that differ to updates: each makes a document what it must be, while it still holds what was found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pymongo import UpdateMany, UpdateOne

from nestling.executors.updates import Updates
from nestling.executors.write_program import present
from nestling.ir.drift import CompiledCheck


class Repairs:
    """The updates of one check that can be repaired."""

    def __init__(self, compiled: CompiledCheck) -> None:
        assert compiled.repair is not None
        self._compiled, self._updates = compiled, Updates(compiled.repair)

    def of(self, row: Mapping[str, Any]) -> UpdateOne | UpdateMany:
        """The update of a row: of what was found, and of what is to be there, a null is one, and what is missing is not."""
        compared = {name for each in self._compiled.check.values for name in (each.expected, each.found)}
        values = {name: row[name] for name in compared & row.keys()}
        return self._updates.of({**present(row, self._compiled.read), **values})
