"""A database read: catalog, model, measures, refined model, statistics – in that order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from nestling.common.errors import Problem, name_list
from nestling.ir.quantity_words import counted
from nestling.ir.reading import Reading
from nestling.ir.statistics import EntityStatistics, Statistics
from nestling.sources.sql.address import Address
from nestling.sources.sql.check_rows import with_kept_checks
from nestling.sources.sql.connection import dialect_of
from nestling.sources.sql.engine import not_allowed
from nestling.sources.sql.engines import engine_of
from nestling.sources.sql.hierarchies import find_hierarchies
from nestling.sources.sql.measure import Connected, TableMeasures, entity_statistics, measure_table
from nestling.sources.sql.measure_links import LinkMeasures, link_statistics, measure_link
from nestling.sources.sql.measure_values import with_values
from nestling.sources.sql.refine import refined_entity, refined_model, without_null_keys
from nestling.sources.sql.reflect import JoinReader, reflect
from nestling.sources.sql.row_sql import Tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from nestling.ir.model import Entity, Model, Relationship
    from nestling.sources.checks import ReadCheck
    from nestling.sources.sql.catalog import Catalog


def read_database(
    address: Address,
    catalog: Catalog,
    connection: Any,
    sampled_above_rows: int,
    progress: Callable[[str], None] | None,
    joined: JoinReader | None,
    read_check: ReadCheck | None,
) -> Reading:
    """Read everything about a database through one connection; `progress` hears the name of each table and relationship.

    `joined` adds relationships that are not declared before they are measured; `read_check` reads CHECKs over rows.
    """
    say = progress or (lambda _name: None)
    engine = engine_of(address.dialect)
    reflection = reflect(catalog, engine.model_name(address), engine.statements, joined, read_check)
    tables = Tables.of(catalog.names, reflection.model, address.dialect)
    database = Connected(connection, dialect_of(address))
    _require_readable(catalog, engine.hidden_tables(connection))
    notes = [*reflection.notes]
    entities, measures = _entities(tables, catalog, database, sampled_above_rows, say, notes)
    links = {link.name: _link(tables, link, database, measures, say) for link in reflection.model.relationships}
    model = refined_model(reflection.model, entities, _required(reflection.model, entities, links, address.dialect))
    model = replace(model, hierarchies=find_hierarchies(replace(tables, model=model), database))
    notes.extend(note for link in model.relationships for note in _link_notes(link, links[link.name]))
    notes.extend(engine.value_notes(catalog, measures, tables, database))
    statistics = Statistics(
        tuple((e.name, _measured(e, measures[e.name], tables, catalog, database)) for e in model.entities),
        tuple((link.name, link_statistics(link, model, links[link.name])) for link in model.relationships),
    )
    return Reading(
        model,
        statistics=statistics,
        gaps=reflection.gaps,
        notes=tuple(notes),
        origin=address.origin,
        dialect=engine.statements,
    )


def _require_readable(catalog: Catalog, hidden: frozenset[tuple[str, str]]) -> None:
    """Raise `PermissionDenied` that names every unreadable table, because the model would be incomplete."""
    refused = [table.entity for table in catalog.tables if (table.schema, table.name) in hidden]
    if refused:
        named = f"{'table' if len(refused) == 1 else 'tables'} {name_list(refused)}"
        raise not_allowed(Problem(f"permission denied for {named}"))


def _entities(
    tables: Tables,
    catalog: Catalog,
    database: Connected,
    sampled_above_rows: int,
    say: Callable[[str], None],
    notes: list[str],
) -> tuple[dict[str, Entity], dict[str, TableMeasures]]:
    entities, measures = {}, {}
    for table in catalog.tables:
        say(table.entity)
        entity = tables.model.entity(table.entity)
        collations = {column.name: column.collated for column in table.columns}
        found = measure_table(
            tables, entity, database, collations, rowid=table.rowid, sampled_above_rows=sampled_above_rows
        )
        measures[entity.name] = found
        entity, said = refined_entity(entity, table, found, tables.dialect)
        entity, about_checks = with_kept_checks(entity, tables, database)
        entities[entity.name], about_key = without_null_keys(entity, _null_keys(tables, entity, database))
        notes.extend((*said, *about_checks, *about_key))
    return entities, measures


def _measured(
    entity: Entity, measures: TableMeasures, tables: Tables, catalog: Catalog, database: Connected
) -> EntityStatistics:
    """The statistics of an entity, including the distribution of its values."""
    known = entity_statistics(entity, measures, tables.dialect)
    rowid = next(table.rowid for table in catalog.tables if table.entity == entity.name)
    return with_values(known, tables, entity, database, measures, rowid=rowid)


def _null_keys(tables: Tables, entity: Entity, database: Connected) -> int:
    """Rows whose primary key is NULL in part: counted over all rows, as SQLite does not refuse them."""
    nullable = [name for name in entity.key if entity.attribute(name).nullable]
    if not nullable:
        return 0
    table = tables.table(entity.name)
    count = sa.select(sa.func.count()).select_from(table).where(sa.or_(*(table.c[name].is_(None) for name in nullable)))
    return int(database.row(count)[0])


def _link(
    tables: Tables,
    link: Relationship,
    database: Connected,
    measures: Mapping[str, TableMeasures],
    say: Callable[[str], None],
) -> LinkMeasures:
    say(link.name)
    parents, children = measures[link.parent].rows, measures[link.child].rows
    return measure_link(tables, link, database, parents=parents, children=children)


def _required(
    model: Model, entities: Mapping[str, Entity], links: Mapping[str, LinkMeasures], dialect: str
) -> dict[str, bool]:
    """Whether every child has a parent: by declaration where that is enforced, else only if the data agrees."""
    if engine_of(dialect).enforces_keys:
        return {}
    return {
        link.name: link.enforced
        and links[link.name].dangling == 0
        and not any(entities[link.child].attribute(name).nullable for name in link.child_attributes)
        for link in model.relationships
    }


def _link_notes(link: Relationship, found: LinkMeasures) -> Iterator[str]:
    if found.dangling:
        rows, refer = counted(found.dangling, "row"), "refers" if found.dangling == 1 else "refer"
        yield f"`{link.name}`: {rows} of `{link.child}` {refer} to a row of `{link.parent}` that does not exist"
    if found.respelled:
        rows, spell = counted(found.respelled, "row"), "spells" if found.respelled == 1 else "spell"
        yield (
            f"`{link.name}`: {rows} of `{link.child}` {spell} the key of `{link.parent}` differently (case, accents, blanks), so "
            "nothing is embedded, copied or computed along it"
        )
    if found.in_cycles:
        rows, are = (
            counted(found.in_cycles, "row"),
            "is its own ancestor" if found.in_cycles == 1 else "are their own ancestors",
        )
        yield f"`{link.name}`: {rows} of `{link.child}` {are}, or below such rows"
