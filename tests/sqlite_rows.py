"""Conceptual rows held in a SQLite file, in the tables of nestling's own SQL sink, and read by its source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from nestling.ir.model import Model
from nestling.ir.statements.sql_dialects import SQLITE
from nestling.sources.sql.address import parse_address
from nestling.sources.sql.driver_parameters import writer
from nestling.sources.sql.engines.sqlite import ENGINE
from nestling.sources.sql.row_source import SqlDatabase
from nestling.sources.sql.sink import SqlSink


def sqlite_source(path: Path, model: Model, rows: Mapping[str, Sequence[tuple[object, ...]]]) -> SqlDatabase:
    """A SQLite file at `path` that holds those rows by entity, as its columns keep them, as a source of rows."""
    sink = sqlite_sink(path)
    sink.begin(model)
    for entity in model.entities:
        writers = [writer(attribute, SQLITE) for attribute in entity.attributes]
        written = [[write(v) for write, v in zip(writers, row, strict=True)] for row in rows.get(entity.name, ())]
        ENGINE.insert(sink.connection, sink.table(entity), [tuple(row) for row in written])
    sink.finish()
    return SqlDatabase(parse_address(f"sqlite:///{path}"), model)


def sqlite_sink(path: Path) -> SqlSink:
    """A sink that writes a SQLite file at `path`."""
    return SqlSink(parse_address(f"sqlite:///{path}"))
