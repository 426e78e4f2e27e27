"""What statements speak of: the tables of a model, with literals of the values SQLite holds, so that conditions hit."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from nestling.ir.model import Attribute, Model, Relationship
from nestling.ir.types import TypeName


class Kind(StrEnum):
    """What an expression's values are, so that functions get what they are for."""

    NUMBER = "number"
    TEXT = "text"
    TIME = "time"
    TRUTH = "truth"
    OTHER = "other"


_KINDS = {
    TypeName.INTEGER: Kind.NUMBER,
    TypeName.FLOAT: Kind.NUMBER,
    TypeName.DECIMAL: Kind.NUMBER,
    TypeName.TEXT: Kind.TEXT,
    TypeName.ENUM: Kind.TEXT,
    TypeName.UUID: Kind.TEXT,
    TypeName.DATE: Kind.TIME,
    TypeName.TIMESTAMP: Kind.TIME,
    TypeName.BOOLEAN: Kind.TRUTH,
}


@dataclass(frozen=True)
class Known:
    """A column or expression in reach: its SQL, its kind, and literals of values it has."""

    sql: str
    kind: Kind
    literals: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """Something with columns to select from; `links` are the relationships it takes part in, when it is an entity."""

    sql: str
    columns: tuple[tuple[str, Kind, tuple[str, ...]], ...]
    entity: str | None = None

    def under(self, alias: str) -> tuple[Known, ...]:
        """Its columns as an alias has them."""
        return tuple(Known(f"{alias}.{quoted(name)}", kind, literals) for name, kind, literals in self.columns)


@dataclass(frozen=True)
class Ground:
    """The tables of a model."""

    model: Model
    tables: Mapping[str, Table]

    def links(self, entity: str) -> tuple[Relationship, ...]:
        """The relationships an entity takes part in, on either side."""
        return tuple(link for link in self.model.relationships if entity in (link.parent, link.child))


def ground_of(model: Model, connection: sqlite3.Connection, *, most: int = 5) -> Ground:
    """The ground of a model whose rows SQLite holds."""
    tables = {}
    for entity in model.entities:
        columns = tuple(
            (a.name, kind_of(a), _literals(connection, entity.name, a.name, most)) for a in entity.attributes
        )
        tables[entity.name] = Table(quoted(entity.name), columns, entity.name)
    return Ground(model, tables)


def kind_of(attribute: Attribute) -> Kind:
    """What an attribute's values are."""
    return _KINDS.get(attribute.type.name, Kind.OTHER)


def quoted(name: str) -> str:
    """An identifier as SQL quotes it."""
    return '"' + name.replace('"', '""') + '"'


def _literals(connection: sqlite3.Connection, table: str, column: str, most: int) -> tuple[str, ...]:
    sql = f"SELECT DISTINCT quote({quoted(column)}) FROM {quoted(table)} WHERE {quoted(column)} IS NOT NULL ORDER BY 1"
    found = [value for (value,) in connection.execute(sql)]
    return tuple(value for value in found if "\x00" not in value and len(value) < 60)[:most]
