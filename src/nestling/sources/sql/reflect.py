"""From a catalog to a model: entities, relationships, many-to-many links and hierarchies, by rules for all relational sources.

Only declarations are used here; `refine` and `hierarchies` add what the data shows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from nestling.ir.model import Attribute
from nestling.sources.affinity import with_affinity
from nestling.sources.checks import ReadCheck, compares_plainly
from nestling.sources.defaults import with_default_kind
from nestling.sources.shape import shape
from nestling.sources.tables import ForeignKey, Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from nestling.ir.model import Model
    from nestling.ir.reading import Gap
    from nestling.sources.sql import catalog as found


@dataclass(frozen=True, slots=True)
class Reflection:
    """A model and what did not fit into it."""

    model: Model
    gaps: tuple[Gap, ...]
    notes: tuple[str, ...]


JoinReader: TypeAlias = "Callable[[Model], tuple[Model, tuple[str, ...]]]"
"""Adds the relationships statements join along, with a note about each."""


def reflect(
    catalog: found.Catalog,
    name: str,
    dialect: str,
    joined: JoinReader | None = None,
    read_check: ReadCheck | None = None,
) -> Reflection:
    """Make a model of a catalog."""
    model, gaps, notes = shape([_table(table, dialect) for table in catalog.tables], name, dialect, read_check)
    if joined is not None:
        model, said = joined(model)
        notes = (*notes, *said)
    keyless = tuple(f"table `{entity.name}` has no primary key" for entity in model.entities if not entity.key)
    return Reflection(replace(model, views=catalog.views), (*catalog.gaps, *gaps), (*catalog.notes, *keyless, *notes))


def _table(table: found.CatalogTable, dialect: str) -> Table:
    columns = tuple(_attribute(column, dialect) for column in table.columns)
    keys = tuple(_foreign_key(table, key) for key in table.foreign_keys)
    plain = frozenset(
        column.name for column in table.columns if compares_plainly(column.declared, column.type, dialect)
    )
    return Table(
        table.entity,
        columns,
        table.key,
        table.uniques,
        keys,
        table.checks,
        plain,
        table.partial,
        names=table.names,
        inherited_by=table.inherited_by,
    )


def _attribute(column: found.ColumnFacts, dialect: str) -> Attribute:
    made = Attribute(
        column.name,
        column.type,
        column.nullable,
        column.also,
        default=column.default,
        collation=column.collation,
        allowed=column.allowed,
        fraction=column.fraction,
    )
    return with_affinity(with_default_kind(made), column.declared, dialect)


def _foreign_key(table: found.CatalogTable, key: found.CatalogForeignKey) -> ForeignKey:
    where = f"{table.entity}.{', '.join(key.columns)}"
    return ForeignKey(
        key.columns,
        key.parent,
        key.parent_columns,
        key.on_delete,
        key.on_update,
        enforced=key.enforced,
        valid=key.valid,
        deferred=key.deferred,
        where=where,
        on_delete_columns=key.on_delete_columns,
    )
