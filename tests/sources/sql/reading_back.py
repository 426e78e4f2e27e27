"""Every row of a database, and a copy of it through a sink."""

from __future__ import annotations

from nestling.ir.model import Model
from nestling.ir.rows import RowColumn, RowQuery
from nestling.sources.sql import SqlDatabase, open_database, open_sink


def everything(entity: str, model: Model) -> RowQuery:
    """All columns of an entity by its key."""
    found = model.entity(entity)
    return RowQuery(entity, tuple(map(RowColumn, found.attribute_names)), tuple(map(RowColumn, found.key)))


def all_rows(database: SqlDatabase) -> dict[str, list[str]]:
    """Each entity's rows as sorted text, which tells 1 from True and NaN equals itself."""
    with database.snapshot():
        model = database.model
        return {e.name: sorted(map(repr, database.rows(everything(e.name, model)))) for e in model.entities}


def copied(database: SqlDatabase, url: str) -> SqlDatabase:
    """Write everything to another database and open that with the same model."""
    model, sink = database.model, open_sink(url)
    sink.begin(model)
    for entity in model.entities:
        sink.write(entity, list(database.rows(everything(entity.name, model))))
    sink.finish()
    return open_database(url, model=model)
