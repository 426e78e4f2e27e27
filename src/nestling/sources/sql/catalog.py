"""A database's catalog: tables, columns, keys and foreign keys, as plain data from which `reflect` makes a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nestling.ir.reading import GapKind
from nestling.ir.statements.operators import Collation

if TYPE_CHECKING:
    from nestling.ir.constraints.allowed import Allowed
    from nestling.ir.constraints.defaults import Default
    from nestling.ir.fraction import Fraction
    from nestling.ir.model import OnDelete, OnUpdate, View
    from nestling.ir.reading import Gap
    from nestling.ir.types import Type
    from nestling.sources.tables import CheckConstraint, PartialIndex


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """A column: its declared type in the database's words, the corresponding conceptual types, whether it may be NULL.

    `allowed`: the values that its type accepts; `narrow`: an integer whose width is lost; `collated`: the name of its
    collation; `fraction`: its fractional digits of a second.
    """

    name: str
    declared: str
    type: Type
    nullable: bool
    default: Default | None = None
    also: tuple[Type, ...] = ()
    collation: Collation = Collation.BINARY
    allowed: Allowed | None = None
    narrow: bool = False
    collated: str = ""
    fraction: Fraction | None = None


@dataclass(frozen=True, slots=True)
class CatalogForeignKey:
    """Columns that refer to a table's columns, by the names the declaration uses (which need not exist).

    `deferred`: it may be broken until the transaction ends. `valid`, `enforced`, `on_delete_columns`: as in `ForeignKey`.
    """

    columns: tuple[str, ...]
    parent: str  # entity name
    parent_columns: tuple[str, ...]  # empty: its primary key
    on_delete: OnDelete
    on_update: OnUpdate
    deferred: bool = False
    valid: bool = True
    enforced: bool = True
    on_delete_columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CatalogTable:
    """A table; `entity` is its name in the model, `schema.name` outside the default schema."""

    entity: str
    schema: str | None
    name: str
    columns: tuple[ColumnFacts, ...]
    key: tuple[str, ...]
    uniques: tuple[tuple[str, ...], ...] = ()
    foreign_keys: tuple[CatalogForeignKey, ...] = ()
    checks: tuple[CheckConstraint, ...] = ()
    rowid: bool = False  # SQLite: rows have a rowid to sample by
    partial: tuple[PartialIndex, ...] = ()
    names: tuple[tuple[str, tuple[str, ...]], ...] = ()  # PostgreSQL's, of keys and unique constraints
    inherited_by: tuple[str, ...] = ()  # PostgreSQL: entities that inherit from it, partitions aside

    def column(self, name: str) -> ColumnFacts:
        """The column of that name."""
        return next(column for column in self.columns if column.name == name)


@dataclass(frozen=True, slots=True)
class Catalog:
    """All tables by name, and what was omitted."""

    tables: tuple[CatalogTable, ...]
    gaps: tuple[Gap, ...] = ()
    notes: tuple[str, ...] = ()
    views: tuple[View, ...] = ()

    def table(self, entity: str) -> CatalogTable:
        """The table of an entity."""
        return next(table for table in self.tables if table.entity == entity)

    @property
    def names(self) -> CatalogNames:
        """The names in the catalog."""
        tables = (
            TableNames(t.entity, t.schema, t.name, tuple(c.name for c in t.columns), bool(t.inherited_by))
            for t in self.tables
        )
        return CatalogNames(tuple(tables), tuple(gap.where for gap in self.gaps if gap.kind is GapKind.LOST))


@dataclass(frozen=True, slots=True)
class TableNames:
    """A table's names, as in `CatalogTable`, and those of its columns. `only`: a SELECT without ONLY has rows of other tables."""

    entity: str
    schema: str | None
    name: str
    columns: tuple[str, ...]
    only: bool = False


@dataclass(frozen=True, slots=True)
class CatalogNames:
    """The names of a catalog's tables and columns: all that reading rows takes, and quickly read. `lost`: tables left out."""

    tables: tuple[TableNames, ...]
    lost: tuple[str, ...] = ()
