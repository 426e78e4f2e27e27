"""Whether a database has what a model names, and what else it has: a design may be older, or for another database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from nestling.common.errors import SHOWN_NAMES, Problem, SourceError, unknown
from nestling.ir.quantity_words import first_of

if TYPE_CHECKING:
    from nestling.ir.model import Model
    from nestling.sources.sql.row_source import SqlDatabase


def check_presence(database: SqlDatabase, model: Model) -> None:
    """Raise `SourceError` naming every table and column of `model` that the database lacks: a sentence for all tables, and one
    for the columns of each.
    """
    tables = {table.entity: table for table in database.names.tables}
    missing = [entity.name for entity in model.entities if entity.name not in tables]
    found = [_lacking("table", missing, list(tables))]
    for entity in model.entities:
        if entity.name in tables:
            names = tables[entity.name].columns
            folded = {name.casefold() for name in names}  # SQLite and MySQL tell no case in columns
            lacking = [name for name in entity.attribute_names if name.casefold() not in folded]
            found.append(_lacking("column", lacking, names, of=entity.name))
    problems = [replace(each, where=database.address.origin) for each in found if each is not None]
    if problems:
        move = "name the database the design was made for, or run inspect and design again for this one"
        raise SourceError(*problems[:-1], replace(problems[-1], next_move=move))


def left_out(database: SqlDatabase, model: Model) -> tuple[str, ...]:
    """The tables, and the columns (`table.column`), that a database has and a model does not name."""
    entities = {entity.name: entity for entity in model.entities}
    found: list[str] = []
    for table in database.names.tables:
        if table.entity not in entities:
            found.append(table.entity)
            continue
        named = {name.casefold() for name in entities[table.entity].attribute_names}
        found += (f"{table.entity}.{name}" for name in table.columns if name.casefold() not in named)
    return (*found, *(name for name in database.names.lost if name not in entities))


def _lacking(kind: str, names: Sequence[str], known: Sequence[str], *, of: str = "") -> Problem | None:
    """A sentence on names that do not exist; None if there are none."""
    if not names:
        return None
    problem = unknown(kind, names[0], known, of=of)
    if len(names) == 1:
        return problem
    listed = first_of([f"`{name}`" for name in names], SHOWN_NAMES)
    return replace(problem, what=f"no {kind}s {listed}" + (f" in `{of}`" if of else ""))
