"""Rows in a temporary SQLite file: written, read like any other source, then emptied and written again.

Creating the file, its tables and their statements takes far longer than a few rows, so they are created once. The file ends
with the process, so nothing waits for the disk.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nestling.common.errors import RowRefused
from nestling.sources.sql.address import parse_address
from nestling.sources.sql.connection import connect, typed_errors
from nestling.sources.sql.shelved_rows import ShelvedRows, holding, row_given, shelving
from nestling.sources.sql.sink import SqlSink

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nestling.ir.model import Entity, Model
    from nestling.ir.rows import RefusedValues, RowSource


class SqliteShelf:
    """A file at `path`, which is not there yet, for rows of the model `kept`; they are read by the names of `model`."""

    def __init__(self, path: Path, *, kept: Model, model: Model) -> None:
        address = parse_address(f"sqlite:///{path}")
        self._sink, self._kept = _Sink(address), kept
        self._source = ShelvedRows(address, model)
        self._has_tables = False

    def empty(self) -> None:
        """Remove all rows; call it before the first write and before each new turn."""
        if self._has_tables:
            self._sink.empty()
        else:
            self._sink.begin(holding(self._kept))
            self._has_tables = True

    def write(self, entity: Entity, rows: Sequence[tuple[object, ...]]) -> None:
        """Add rows. Raises `SourceError` for one that would not be read back unchanged."""
        try:
            self._sink.write(entity, [*map(shelving(entity), rows)])
        except RowRefused as error:
            error.row = row_given(error.row)
            raise

    def refused(self, entity: Entity, rows: Sequence[tuple[object, ...]]) -> Iterator[RefusedValues]:
        """The values of rows that `write` would refuse, all of them; adds nothing."""
        found = self._sink.refused(entity, [*map(shelving(entity), rows)])
        return (replace(each, row=row_given(each.row)) for each in found)

    def source(self) -> RowSource:
        """The rows that were written since it was emptied."""
        self._sink.publish()
        return self._source

    def close(self) -> None:
        """Use it no more."""
        self._sink.close()


class _Sink(SqlSink):
    """A target that is written more than once, and does not wait for the disk."""

    @cached_property
    def connection(self) -> Any:
        connection = connect(self.address, read_only=False)
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA journal_mode = MEMORY")
        self._engine.begin_writing(connection)
        return connection

    def empty(self) -> None:
        """Remove all rows, including those of a failed turn."""
        with typed_errors(self.address):
            if not self.connection.in_transaction:
                self._engine.begin_writing(self.connection)
            for entity in self.made:
                self.run(f"DELETE FROM {self.table(entity)}")  # noqa: S608 - quoted

    def publish(self) -> None:
        """Let other connections see the rows."""
        with typed_errors(self.address):
            self.connection.commit()
