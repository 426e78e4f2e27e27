"""A source without rows: a model file, a DDL file, or none at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from nestling.ir.model import Model
from nestling.ir.rows import RowQuery


@dataclass(frozen=True, slots=True)
class NoRows:
    """A `RowSource` in which every entity is empty."""

    model: Model

    def snapshot(self) -> AbstractContextManager[None]:
        """A context that does nothing, because nothing changes."""
        return nullcontext()

    def rows(self, query: RowQuery) -> Iterator[tuple[object, ...]]:  # noqa: ARG002 - of a RowSource
        """An empty iterator."""
        return iter(())

    def count(self, entity: str) -> int:  # noqa: ARG002 - of a RowSource
        """Zero."""
        return 0

    def highest_number(self, entity: str, attribute: str) -> None:
        """None, because no number was generated."""
