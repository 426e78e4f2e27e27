"""Whether a database has what a model names: a design made for one database may be pointed at another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nestling.common.errors import Problem, SourceError, unknown

if TYPE_CHECKING:
    from nestling.ir.model import Entity, Model
    from nestling.sources.sql.catalog import Table
    from nestling.sources.sql.rows import SqlDatabase


def check_presence(database: SqlDatabase, model: Model) -> None:
    """Raise `SourceError` naming every table and column of `model` that the database lacks."""
    tables = {table.entity: table for table in database.catalog.tables}
    problems = [problem for entity in model.entities for problem in _lacking(entity, tables, database.address.origin)]
    if problems:
        *first, last = problems
        move = "name the database the design was made for, or inspect and design this one anew"
        raise SourceError(*first, Problem(last.what, last.where, known=last.known, next_move=move))


def _lacking(entity: Entity, tables: dict[str, Table], origin: str) -> Iterator[Problem]:
    table = tables.get(entity.name)
    if table is None:
        found = unknown("table", entity.name, tables)
        yield Problem(found.what, origin, known=found.known)
        return
    names = {column.name.casefold() for column in table.columns}  # SQLite and MySQL tell no case in columns
    for attribute in entity.attribute_names:
        if attribute.casefold() not in names:
            found = unknown("column", attribute, (column.name for column in table.columns), of=entity.name)
            yield Problem(found.what, origin, known=found.known)
