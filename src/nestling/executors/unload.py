"""Unloading: the conceptual rows, rebuilt from their homes, handed to a sink entity by entity in constant memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from pymongo.database import Database

from nestling.common.connection import address, typed_errors
from nestling.common.errors import NestlingError, Problem, RebuildError, RowRefused, SourceError
from nestling.executors.batches import batches
from nestling.executors.progress import ReportProgress, RowCounter
from nestling.executors.read import read_rows
from nestling.ir.model import Entity, Model
from nestling.ir.programs.command import Aggregation
from nestling.ir.rows import RefusedValues, Row, RowSink, summed
from nestling.ir.types import TypeName
from nestling.ir.value_forms.bson_in_json import beyond_sql
from nestling.ir.words.value_words import value_words

BATCH_ROWS = 1_000
_IN_EVERY_COLUMN = frozenset({type(None), bool, int, float, str, bytes, Decimal, date, datetime, dict, list})


@dataclass(frozen=True, slots=True)
class UnloadReport:
    """Rows written of each entity, the time taken, and parts of the model that the tables do not declare."""

    entities: Mapping[str, int]
    seconds: float
    notes: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        from nestling.ir.words.notebook import block, list_of, paragraph, table

        rows = ((name, f"{number:,}") for name, number in self.entities.items())
        return block(
            table("Unloaded", ("entity", "rows"), rows),
            list_of("Notes", self.notes),
            paragraph(f"Written in {self.seconds:.1f} s."),
        )


def unload(
    model: Model,
    homes: Mapping[str, Aggregation],
    database: Database[Any],
    sink: RowSink,
    *,
    report: ReportProgress | None = None,
) -> UnloadReport:
    """Write every entity's rows to `sink`; `homes` are the queries of the home views by entity. Only reads from MongoDB.

    Raises `RebuildError` that names the collection if a row cannot be rebuilt, and, after all rows were read, `SourceError`
    that names every column which does not return what was written. The sink is then not finished, so its rows never become
    visible.
    """
    counter, written, transfer = RowCounter(report), dict[str, int](), _Transfer(sink)
    with typed_errors(address(database)):
        try:
            sink.begin(model)
            for entity in model.entities:
                home = homes[entity.name]
                rows = counter.counted(
                    entity.name, transfer.within_sql(read_rows(database, home, entity), entity, home)
                )
                written[entity.name] = sum(transfer.write(entity, batch) for batch in batches(rows, BATCH_ROWS))
            transfer.check()
            notes = sink.finish()
        finally:
            sink.close()
    return UnloadReport(written, counter.seconds(), notes)


@dataclass(slots=True)
class _Transfer:
    """The way of rows into a sink. From the first value on that no column gives back, rows are only looked at, to name all."""

    sink: RowSink
    refused: tuple[RefusedValues, ...] = ()
    error: type[NestlingError] | None = None

    def within_sql(self, rows: Iterable[Row], entity: Entity, home: Aggregation) -> Iterator[Row]:
        """The rows without those that hold a value which SQL lacks, such as a regular expression among texts."""
        kinds = tuple(attribute.type.name for attribute in entity.attributes)
        for row in rows:
            is_whole = True
            for position, value in enumerate(row):
                is_sure = type(value) in _IN_EVERY_COLUMN and kinds[position] is not TypeName.UUID
                if not is_sure and (what := beyond_sql(value, kinds[position])):
                    self._add(RebuildError, [_beyond(what, position, row, entity, home)])
                    is_whole = False
            if is_whole:
                yield row

    def write(self, entity: Entity, batch: list[Row]) -> int:
        """Write rows, or look at them; returns how many."""
        if self.error is None:
            try:
                self.sink.write(entity, batch)
            except RowRefused as error:
                if not error.attribute:  # not for a value of its own
                    raise
                self._add(SourceError, self.sink.refused(entity, batch))
        else:
            self._add(self.error, self.sink.refused(entity, batch))
        return len(batch)

    def _add(self, error: type[NestlingError], found: Iterable[RefusedValues]) -> None:
        self.error = self.error or error
        self.refused = summed((*self.refused, *found))

    def check(self) -> None:
        """Raise an error with each column that has refused values."""
        if self.error is not None:
            raise self.error(*(replace(each.problem, what=each.text) for each in self.refused))


def _beyond(what: str, position: int, row: Row, entity: Entity, home: Aggregation) -> RefusedValues:
    """Describe the value and its row."""
    name, values = entity.attribute_names[position], dict(zip(entity.attribute_names, row, strict=True))
    key = ", ".join(f"{each} = {value_words(values[each])}" for each in entity.key)
    problem = Problem(
        what=f"`{name}` of `{entity.name}` holds {what}, in the row {key or 'without a key'}: no column can return it",
        where=f"collection {home.collection}",
        next_move=f"make `{name}` json in the model, which stores it as Extended JSON, or change that value",
    )
    return RefusedValues(entity.name, name, type(row[position]), 1, row, problem)
