"""Unloading: the conceptual rows, rebuilt from their homes, handed to a sink entity by entity in constant memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pymongo.database import Database

from nestling.common.connection import address, typed_errors
from nestling.common.errors import Problem, RebuildError, suggest
from nestling.executors.batches import batches
from nestling.executors.progress import Report, RowCounter
from nestling.executors.read import Row, read_rows
from nestling.ir.command import Aggregation
from nestling.ir.model import Entity, Model
from nestling.ir.rows import RowSink

BATCH_ROWS = 1_000


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
            rows = counter.counted(entity.name, read_rows(database, homes[entity.name], entity))
            written[entity.name] = sum(_write(sink, entity, batch) for batch in batches(rows, BATCH_ROWS))
        notes = sink.finish()
    return UnloadReport(written, counter.seconds(), notes)


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
