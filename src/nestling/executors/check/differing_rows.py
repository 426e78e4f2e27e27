"""Asking the server for the rows of a check that differ."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from pymongo.collection import Collection
from pymongo.database import Database
from pymongo.errors import ExecutionTimeout
from pymongo.read_concern import ReadConcern

from nestling.common.errors import ValueNotComputable
from nestling.executors.abilities import capped_collections, has_history
from nestling.executors.batches import batches
from nestling.executors.calls import ONE_MOMENT
from nestling.executors.check.differing_values import differing_values
from nestling.executors.check.scope import IDS_AT_ONCE, ScopeStage
from nestling.executors.errors.read_errors import read_errors
from nestling.executors.exact import exact
from nestling.executors.halves import by_halves
from nestling.executors.pacing import RestingPace
from nestling.ir.drift import ID_COLUMN, SCREEN_KEY, Check, CompiledCheck, Drift, DriftKind, PathStep
from nestling.ir.programs.program import MISSING
from nestling.ir.storage.names import join
from nestling.ir.value_forms.canonical import stored_bytes

FoundRow: TypeAlias = Mapping[str, Any]


MOST_SUSPECTS = 1_000
"""Of more sources whose holders may differ all documents are looked at closely."""
WHY = "why"
"""The only field, besides the id, of a row for a document with which the server cannot compute."""


FEW_SUSPECTS = 10
"""So many sources tell whether anything differs, where there is no time to count."""


class OutOfTime(Exception):
    """A command took longer than it may."""


class NoTimeLeft(Exception):
    """The time for all of a check is up."""


class Reader:
    """A database as each command sees it at one moment, so that no write is seen half done.

    A standalone server has no such reads, nor have capped collections.
    """

    def __init__(
        self, database: Database[Any], seconds: float, until: float = math.inf, pace: RestingPace | None = None
    ) -> None:
        """`seconds` are for a command, and `until` (`time.monotonic`) for all; `pace` rests after each."""
        self._database, self._seconds = exact(database), seconds
        self._until, self._pace = until, pace or RestingPace()
        self._has_moments = has_history(database)
        self._capped = capped_collections(database)

    def rows(self, compiled: CompiledCheck, stages: Sequence[ScopeStage]) -> list[FoundRow]:
        """The rows that differ among the documents the stages choose; raises `OutOfTime`, `ReadError`.

        They are searched with exact comparison, as the stages choose documents, and then by the collation of the check. If
        documents can be compared one by one, one with which the server cannot compute is found by bisection, and its row says
        why.
        """
        try:
            return self._differing(compiled, stages)
        except ValueNotComputable:
            if not compiled.check.is_walked:
                raise
        ids = [row["_id"] for row in self._asked(compiled.check, [*stages, {"$project": {"_id": 1}}])]

        def ask(some: Sequence[object]) -> list[FoundRow]:
            return self._differing(compiled, [{"$match": {"_id": {"$in": some}}}])

        def left(one: object, why: str) -> list[FoundRow]:
            return [{ID_COLUMN: one, WHY: why}]

        return [row for some in batches(ids, IDS_AT_ONCE) for row in by_halves(some, ask, left)]

    def _differing(self, compiled: CompiledCheck, stages: Sequence[ScopeStage]) -> list[FoundRow]:
        rows = self._asked(compiled.check, [*stages, *compiled.read.pipeline])
        if rows and compiled.read.collation_option is not None:
            rows = self._still(compiled, rows)
        return [row for row in rows if differing_values(compiled.check, row)]

    def _still(self, compiled: CompiledCheck, rows: Sequence[FoundRow]) -> list[FoundRow]:
        """The rows that differ by the collation of the check, too."""
        these = {"$match": {"_id": {"$in": [row[ID_COLUMN] for row in rows]}}}
        pipeline: list[ScopeStage] = [these, *compiled.read.pipeline]
        found = self._asked(compiled.check, pipeline, compiled.read.collation_option)
        differing = {stored_bytes(row) for row in found}
        return [row for row in rows if stored_bytes(row) in differing]

    def suspects(
        self, compiled: CompiledCheck, stages: Sequence[ScopeStage], most: int = MOST_SUSPECTS
    ) -> list[ScopeStage] | None:
        """What the screen finds among the documents that the stages choose.

        None if nothing differs; otherwise stages for the documents to examine closely, or no stages if these are not easily
        selected. If fewer than `MOST_SUSPECTS` are asked for, the others found are left out. Raises `OutOfTime`, `ReadError`.
        """
        screen, told = compiled.screen, compiled.check.screen
        assert screen is not None
        assert told is not None
        found = self._asked(compiled.check, [*stages, *screen.pipeline, {"$limit": most + 1}])
        if not found:
            return None
        place = next((n for n, path in enumerate(told.paths) if path is not None), None)
        if place is None or len(found) > MOST_SUSPECTS:
            return []
        values = [row[SCREEN_KEY].get(str(place)) for row in found[:most]]
        return [{"$match": {told.paths[place]: {"$in": values}}}]

    def _asked(
        self, check: Check, pipeline: list[ScopeStage], collation: Mapping[str, object] | None = None
    ) -> list[FoundRow]:
        collection = self._database.get_collection(check.collection, read_concern=self._moment(check, pipeline))
        with read_errors(check.id, self._database):
            try:
                return self._pace.timed(lambda: self._answer(collection, pipeline, collation))
            except ExecutionTimeout as error:
                raise NoTimeLeft if time.monotonic() >= self._until else OutOfTime from error

    def seconds(self) -> float:
        """What the next command may take; raises `NoTimeLeft`."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise NoTimeLeft
        return min(self._seconds, left)

    def _answer(
        self, collection: Collection[Any], pipeline: list[ScopeStage], collation: Mapping[str, object] | None
    ) -> list[FoundRow]:
        limit = max(math.ceil(self.seconds() * 1000), 1)
        with collection.aggregate(pipeline, allowDiskUse=True, maxTimeMS=limit, collation=collation) as cursor:
            return list(cursor)

    def _moment(self, check: Check, pipeline: list[ScopeStage]) -> ReadConcern | None:
        read = {check.collection, *collections_in(pipeline)}
        return ONE_MOMENT if self._has_moments and not read & self._capped else None


def collections_in(pipeline: object) -> Iterator[str]:
    """The other collections a pipeline reads."""
    if isinstance(pipeline, Mapping):
        for name, inner in pipeline.items():
            if name in ("from", "coll") and isinstance(inner, str):
                yield inner
            yield from collections_in(inner)
    elif isinstance(pipeline, list | tuple):
        for inner in pipeline:
            yield from collections_in(inner)


def drifts(check: Check, row: FoundRow) -> Iterator[Drift]:
    """The values of a row that differ."""
    if WHY in row:
        move = f"`{check.id}` of some documents cannot be compared: {row[WHY]}. Correct its source, then check again"
        yield Drift(
            check.key,
            check.kind,
            check.collection,
            row[ID_COLUMN],
            "",
            freshness=check.freshness,
            next_move=move,
            compared=False,
        )
        return
    way = _way(check.place, row)
    for each in differing_values(check, row):
        yield Drift(
            check.key,
            check.kind,
            check.collection,
            row[ID_COLUMN],
            join(way, each.path),
            _value(row, each.expected),
            _value(row, each.found),
            check.freshness,
            next_move=check.next_move,
        )


def where(check: Check, row: FoundRow) -> tuple[str, str]:
    """Which document and which element in it a row is about."""
    return repr(row[ID_COLUMN]), _way(check.place, row)


def would_go(check: Check, row: FoundRow) -> bool:
    """Whether a copy is there, and nothing that it is a copy of: to repair it would be to take it away."""
    if check.kind is not DriftKind.COPY or any(row.get(each.expected) not in (None, []) for each in check.values):
        return False
    return any(row.get(each.found) not in (None, []) for each in check.values)


def _value(row: FoundRow, column: str) -> object:
    return row.get(column, MISSING)


def _way(steps: Sequence[PathStep], row: FoundRow) -> str:
    """`lines[sku=3]`: the way with what tells the elements."""
    return join(*(f"{step.field}{_told(step, row)}" for step in steps))


def _told(step: PathStep, row: FoundRow) -> str:
    told = [f"{name}={row[column]}" if name else str(row[column]) for name, column in step.told if column in row]
    return f"[{', '.join(told)}]" if told else ""
