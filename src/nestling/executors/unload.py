"""Unloading: the conceptual rows, rebuilt from their homes, handed to a sink entity by entity in constant memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from pymongo.database import Database

from nestling.common.connection import address, typed_errors
from nestling.common.errors import Problem, RebuildError, suggest
from nestling.executors.batches import batches
from nestling.executors.progress import Report, RowCounter
from nestling.executors.read import Row, read_rows
from nestling.ir.bson_in_json import beyond_sql
from nestling.ir.command import Aggregation
from nestling.ir.model import Entity, Model
from nestling.ir.rows import RowSink
from nestling.ir.types import TypeName

BATCH_ROWS = 1_000
_IN_EVERY_COLUMN = frozenset({type(None), bool, int, float, str, bytes, Decimal, date, datetime, dict, list})


@dataclass(frozen=True, slots=True)
class UnloadReport:
    """Rows written of each entity, the time it took, and what of the model the tables do not declare."""

    entities: Mapping[str, int]
    seconds: float
    notes: tuple[str, ...] = ()


def unload(
    model: Model,
    homes: Mapping[str, Aggregation],
    database: Database[Any],
    sink: RowSink,
    *,
    report: Report | None = None,
) -> UnloadReport:
    """Write every entity's rows to `sink`; `homes` are the queries of the home views by entity. Reads only.

    Raises `RebuildError` naming every collection the database lacks before anything is written, and naming the collection
    when a row cannot be rebuilt; the sink is then not finished, so that it shows nothing.
    """
    counter, written = RowCounter(report), dict[str, int]()
    with typed_errors(address(database)):
        _require_collections(model, homes, database)
        sink.begin(model)
        for entity in model.entities:
            home = homes[entity.name]
            rows = counter.counted(entity.name, _carried(read_rows(database, home, entity), entity, home))
            written[entity.name] = sum(_write(sink, entity, batch) for batch in batches(rows, BATCH_ROWS))
        notes = sink.finish()
    return UnloadReport(written, counter.seconds(), notes)


def _carried(rows: Iterable[Row], entity: Entity, home: Aggregation) -> Iterator[Row]:
    """The rows; raises `RebuildError` for a value no column gives back, such as a regular expression among texts."""
    kinds = tuple(attribute.type.name for attribute in entity.attributes)
    for row in rows:
        for position, value in enumerate(row):
            is_sure = type(value) in _IN_EVERY_COLUMN and kinds[position] is not TypeName.UUID
            if not is_sure and (what := beyond_sql(value, kinds[position])):
                raise _beyond(what, position, row, entity, home)
        yield row


def _beyond(what: str, position: int, row: Row, entity: Entity, home: Aggregation) -> RebuildError:
    """The error that says which value of which row it is."""
    name, values = entity.attribute_names[position], dict(zip(entity.attribute_names, row, strict=True))
    key = ", ".join(f"{each} = {values[each]!r}" for each in entity.key)
    return RebuildError(
        Problem(
            what=f"`{name}` of `{entity.name}` holds {what}, in the row {key or 'without a key'}: no column gives it back",
            where=f"collection {home.collection}",
            next_move=f"make `{name}` json in the model, which keeps it as Extended JSON, or change that value",
        )
    )


def _write(sink: RowSink, entity: Entity, batch: list[Row]) -> int:
    sink.write(entity, batch)
    return len(batch)


def _require_collections(model: Model, homes: Mapping[str, Aggregation], database: Database[Any]) -> None:
    """An empty table for a collection that is not there would be rows dropped in silence."""
    there = frozenset(database.list_collection_names())
    wanted: dict[str, str] = {}
    for entity in model.entities:
        wanted.setdefault(homes[entity.name].collection, entity.name)
    problems = [
        Problem(
            what=f"there is no collection `{name}`, the home of `{entity}`",
            where=f"database {database.name}",
            known=suggest(name, there),
            next_move="name the database the design was loaded into",
        )
        for name, entity in sorted(wanted.items())
        if name not in there
    ]
    if problems:
        raise RebuildError(*problems)
