"""Conceptual rows held in a SQLite file, written and read by nestling's own SQL source and sink."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from nestling.ir.model import Model
from nestling.sources.sql.address import parse_address
from nestling.sources.sql.rows import SqlDatabase
from nestling.sources.sql.sink import SqlSink


def sqlite_source(path: Path, model: Model, rows: Mapping[str, Sequence[tuple[object, ...]]]) -> SqlDatabase:
    """A SQLite file at `path` that holds those rows by entity, as a source of rows."""
    sink = sqlite_sink(path)
    sink.begin(model)
    for entity in model.entities:
        sink.write(entity, rows.get(entity.name, ()))
    sink.finish()
    return SqlDatabase(parse_address(f"sqlite:///{path}"), model)


def sqlite_sink(path: Path) -> SqlSink:
    """A sink that writes a SQLite file at `path`."""
    return SqlSink(parse_address(f"sqlite:///{path}"))
