"""Columns of a catalog that a CHECK declares to be JSON: MariaDB's JSON, and Django's in SQLite."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nestling.ir.statements.operators import Collation
from nestling.sources.defaults import retyped
from nestling.sources.json_checks import json_columns

if TYPE_CHECKING:
    from nestling.ir.types import Type
    from nestling.sources.sql.catalog import CatalogTable, ColumnFacts


def with_json(table: CatalogTable, dialect: str) -> CatalogTable:
    """The table with such columns as JSON."""
    types = {column.name: column.type for column in table.columns}
    keys, some = (each.columns for each in table.foreign_keys), (each.columns for each in table.partial)
    found = json_columns(table.checks, dialect, types, (table.key, *table.uniques, *keys, *some))
    return replace(
        table, columns=tuple(_json(each, found[each.name]) if each.name in found else each for each in table.columns)
    )


def _json(column: ColumnFacts, kind: Type) -> ColumnFacts:
    default = retyped(column.default, kind)
    return replace(column, type=kind, default=default, collation=Collation.BINARY, collated="", allowed=None)
