"""SQLite, PostgreSQL and MySQL databases as sources of models, statistics and rows, and as targets for rows.

`open_database(url).reading()` describes a database; `SqlDatabase` is a `RowSource`, `SqlSink` a `RowSink`. Each stage is a
module: `address` and `connection` (reach it), `catalog*` (its catalog), `reflect` (a model from that), `measure*` and `refine`
(its data), `row_sql`, `row_source` and `driver_values` (its rows), `sink`, `existing` and `driver_parameters` (writing rows).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nestling.sources.sql.address import is_sql_address, parse_address
from nestling.sources.sql.row_source import SqlDatabase
from nestling.sources.sql.sink import SqlSink

if TYPE_CHECKING:
    from nestling.ir.model import Model

__all__ = ["SqlDatabase", "SqlSink", "is_sql_address", "open_database", "open_sink"]


def open_database(url: str, *, model: Model | None = None) -> SqlDatabase:
    """Open a database for reading; with a `model` its names and types are used instead of what `reading` finds.

    Raises `SourceError` (no such file, not a database, driver missing), `ConnectionFailed`, `AuthenticationFailed`.
    """
    from nestling.sources.sql.connection import connect

    address = parse_address(url)
    connect(address).close()
    return SqlDatabase(address, model)


def open_sink(url: str) -> SqlSink:
    """Open a database for writing; nothing happens before `begin`."""
    return SqlSink(parse_address(url))
