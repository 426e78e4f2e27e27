"""Existing tables of a target: they are filled unchanged if all rows fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nestling.common.errors import Problem, SourceError, name_list
from nestling.ir.constraints.defaults import ComputedAttribute
from nestling.ir.model import Entity
from nestling.ir.quantity_words import counted
from nestling.ir.words.value_words import value_words
from nestling.sources.sql.engines import engine_of
from nestling.sources.sql.table_ddl import place_of, quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from nestling.ir.model import Model
    from nestling.sources.sql.catalog import Catalog, CatalogForeignKey, CatalogTable, ColumnFacts
    from nestling.sources.sql.sink import SqlSink

_SHOWN = 3
"""Rows named by an error about a foreign key."""


@dataclass(frozen=True, slots=True)
class Existing:
    """An existing table. `entity` is the model's without columns that the table computes, with the table's own uniqueness.

    `types`: those of its columns, by attribute.
    """

    entity: Entity
    table: CatalogTable
    types: Mapping[str, str]
    computed: tuple[str, ...]


def existing_tables(sink: SqlSink, model: Model) -> tuple[Mapping[str, Existing], Catalog | None]:
    """The model's tables that the target has, by entity, and its catalog; raises SourceError where one cannot be filled."""
    dialect, engine = sink.address.dialect, engine_of(sink.address.dialect)
    found = engine.tables(sink, {place_of(entity.name, dialect)[0] for entity in model.entities})
    there = {(schema, engine.table_key(name)) for schema, name in found}
    places = ((entity, place_of(entity.name, dialect)) for entity in model.entities)
    taken = [entity for entity, (schema, name) in places if (schema, engine.table_key(name)) in there]
    if not taken:
        return {}, None
    _refuse_rows(sink, taken)
    catalog = engine.catalog(sink.address, sink.connection)
    tables = {engine.table_key(table.entity): table for table in catalog.tables}
    pairs = [(e, tables[key]) for e in taken if (key := engine.table_key(e.name)) in tables]
    problems = [problem for entity, table in pairs for problem in _problems(sink, entity, table)]
    if problems:
        raise SourceError(*problems)
    return {entity.name: _existing(sink, entity, table) for entity, table in pairs}, catalog


def refuse_dangling(sink: SqlSink, tables: Sequence[Existing], catalog: Catalog | None) -> None:
    """Raise `SourceError` if rows of these tables break foreign keys, which were not checked when they were written."""
    problems = [
        problem
        for existing in tables
        for key in existing.table.foreign_keys
        if catalog is not None and (problem := _dangling(sink, existing, key, catalog))
    ]
    if problems:
        raise SourceError(*problems)


def refuse_lost(sink: SqlSink, tables: Sequence[Existing], written: Mapping[str, int]) -> None:
    """Raise `SourceError` if tables do not hold as many rows as were written, because of triggers or rules."""
    problems = []
    for existing in tables:
        name = existing.entity.name
        there = sink.run(f"SELECT count(*) FROM {sink.table(existing.entity)}").fetchone()[0]  # noqa: S608 - quoted
        if there != written.get(name, 0):
            given = written.get(name, 0)
            what = f"it holds {counted(there, 'row')} after {given:,} were written: a trigger or rule changed that"
            move = "disable its triggers and rules while unloading, or drop the table and let unload create it"
            problems.append(Problem(what, where=f"table {name} of {sink.address.origin}", next_move=move))
    if problems:
        raise SourceError(*problems)


def _refuse_rows(sink: SqlSink, taken: Sequence[Entity]) -> None:
    full = [e.name for e in taken if sink.run(f"SELECT 1 FROM {sink.table(e)} LIMIT 1").fetchone()]  # noqa: S608 - quoted
    if full:
        what = f"the target already holds rows in {', '.join(f'`{name}`' for name in full)}"
        raise SourceError(Problem(what, where=sink.address.origin, next_move="use a new file or an empty database"))


def _problems(sink: SqlSink, entity: Entity, table: CatalogTable) -> Iterator[Problem]:
    engine = engine_of(sink.address.dialect)
    where, key = f"table {entity.name} of {sink.address.origin}", engine.column_key
    there, known = {key(column.name) for column in table.columns}, {key(name) for name in entity.attribute_names}
    if missing := [name for name in entity.attribute_names if key(name) not in there]:
        move = f"add {name_list(missing)} to the table, or drop the table and let unload create it"
        yield Problem(f"it has no column for {name_list(missing)}", where=where, next_move=move)
    if needed := [each.name for each in table.columns if key(each.name) not in known and not _fills_itself(each)]:
        move = f"let {name_list(needed)} be NULL or have a default, or drop the table and let unload create it"
        what = f"{name_list(needed)} must have a value, but the design has none for it"
        yield Problem(what, where=where, next_move=move)
    if what := engine.not_undone(sink, table.name):
        yield Problem(what, where=where, next_move="give the table another engine, or drop it and let unload create it")


def _fills_itself(column: ColumnFacts) -> bool:
    return column.nullable or column.default is not None


def _existing(sink: SqlSink, entity: Entity, table: CatalogTable) -> Existing:
    engine = engine_of(sink.address.dialect)
    columns = {engine.column_key(column.name): column for column in table.columns}
    types = {engine.column_key(name): words for name, words in engine.found_types(sink, table).items()}
    own = {name: columns[engine.column_key(name)] for name in entity.attribute_names}
    computed = tuple(name for name, column in own.items() if isinstance(column.default, ComputedAttribute))
    kept = tuple(each for each in entity.attributes if each.name not in computed)
    names = {engine.column_key(each.name): each.name for each in kept}
    groups = ([engine.column_key(name) for name in group] for group in (table.key, *table.uniques) if group)
    written = Entity(
        entity.name,
        kept,
        () if set(entity.key) & set(computed) else entity.key,
        tuple(tuple(names[name] for name in group) for group in groups if set(group) <= set(names)),
    )
    return Existing(written, table, {each.name: types[engine.column_key(each.name)] for each in kept}, computed)


def _dangling(sink: SqlSink, existing: Existing, key: CatalogForeignKey, catalog: Catalog) -> Problem | None:
    fold = engine_of(sink.address.dialect).table_key
    found_tables = {fold(table.entity): table for table in catalog.tables}
    keys = {fold(entity.name): entity.key for entity in sink.made} | {n: t.key for n, t in found_tables.items()}
    schema, _, name = key.parent.rpartition(".") if fold(key.parent) not in keys else ("", "", key.parent)
    names = key.parent_columns or keys.get(fold(key.parent), ())
    if len(names) != len(key.columns):  # SQLite takes such a declaration, and no row keeps it
        what = f"its foreign key {name_list(key.columns)} does not refer to the key of `{key.parent}`"
        return Problem(what, where=f"table {existing.entity.name}", next_move="fix the foreign key, or drop it")
    where_from = ".".join(quote(each, sink.preparer) for each in (schema, name) if each)
    own = [f"c.{quote(each, sink.preparer)}" for each in key.columns]
    theirs = [f"p.{quote(each, sink.preparer)}" for each in names]
    told = existing.entity.key or key.columns
    statement = (
        f"SELECT {', '.join(f'c.{quote(each, sink.preparer)}' for each in told)} "  # noqa: S608 - quoted
        f"FROM {sink.table(existing.entity)} AS c WHERE {' AND '.join(f'{each} IS NOT NULL' for each in own)} "
        f"AND NOT EXISTS (SELECT 1 FROM {where_from} AS p "
        f"WHERE {' AND '.join(f'{a} = {b}' for a, b in zip(theirs, own, strict=True))}) LIMIT {_SHOWN + 1}"
    )
    if not (found := sink.run(statement).fetchall()):
        return None
    rows = "; ".join(
        ", ".join(f"{name} = {value_words(value)}" for name, value in zip(told, row, strict=True))
        for row in found[:_SHOWN]
    )
    more = " and others" if len(found) > _SHOWN else ""
    return Problem(
        f"{name_list(key.columns)} refers to rows missing from `{key.parent}`",
        where=f"table {existing.entity.name}, the rows {rows}{more}",
        next_move="fix these rows in MongoDB, or drop the foreign key from the table",
    )
