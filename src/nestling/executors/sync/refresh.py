"""Repairs: reads what differs together with its expected value, and writes that if the document still holds what was found.

A copy that changed in between is compared again. A document that the server refuses (by its validator) is named and left, and
so is one that does not settle, or has a value that the server cannot compute with. A copy whose source row is gone may be all
that remains of it: it is named and left too, unless such copies are to be removed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pymongo.errors import BulkWriteError, PyMongoError

from nestling.common.connection import disk_is_full
from nestling.common.errors import ReadError, ValueNotComputable
from nestling.executors.batches import batches
from nestling.executors.calls import ONE_MOMENT, TO_LAST
from nestling.executors.check.differing_rows import where
from nestling.executors.check.differing_values import differing_values
from nestling.executors.check.repairs import Repairs
from nestling.executors.check.sourceless import sourceless
from nestling.executors.errors.invalid import why_refused
from nestling.executors.errors.transient import is_transient
from nestling.executors.halves import by_halves
from nestling.executors.sync.asking import DatabaseSession
from nestling.executors.sync.metrics import Metrics
from nestling.executors.sync.narrowed import (
    NUMBER,
    DistinctValues,
    every_id,
    ids_of_values,
    of_few,
    of_ids,
    of_values,
    with_values,
)
from nestling.executors.updates import Updates
from nestling.ir.drift import ID_COLUMN, CompiledCheck
from nestling.ir.literals import shell
from nestling.ir.programs.route import BackgroundUpkeep, CompiledSearch, CompiledShared

DOCUMENTS_AT_ONCE = 1_000
FEW_ANCHORS, FEW_HOLDERS = 20, 100
"""Up to these numbers everything is compared without counting the holders first."""
ATTEMPTS = 10
ANCHOR = "anchor"
PAUSE_SECONDS = 0.01
_Row = Mapping[str, Any]


class Refresh:
    """Mends the holders of upkeeps through one thread's view. `may_go_on` raises when this instance may not.

    `unrepaired`: by upkeep, how often a copy of it could not be repaired or was left; an upkeep goes when a comparison of all
    its holders leaves none. `remove`: copies whose source rows are gone are taken away.
    """

    def __init__(
        self,
        view: DatabaseSession,
        metrics: Metrics,
        may_go_on: Callable[[], None],
        unrepaired: Counter[str],
        *,
        remove: bool = False,
    ) -> None:
        self._view, self._metrics, self._may_go_on, self._remove = view, metrics, may_go_on, remove
        self._unrepaired = unrepaired
        self._repairs: dict[str, Repairs] = {}
        self._updates: dict[str, Updates] = {}

    def documents(self, kept: BackgroundUpkeep, ids: Iterable[object]) -> None:
        """Repair the documents with these ids."""
        for some in batches(ids, DOCUMENTS_AT_ONCE):
            self._metrics.count("compared", len(some))
            self._mended(kept, self._read(kept, some))

    def every(self, kept: BackgroundUpkeep) -> None:
        """Refresh all holders of an upkeep."""
        self._metrics.count("full_refreshes")
        before = self._unrepaired[kept.id]
        try:
            for some in batches(self._differing(kept, self._view.ask(kept.check.read)), DOCUMENTS_AT_ONCE):
                self._mended(kept, some)
        except ValueNotComputable:
            self.documents(kept, (row[ID_COLUMN] for row in self._view.ask(every_id(kept.check.read))))
        if self._unrepaired[kept.id] == before:
            del self._unrepaired[kept.id]

    def few(self, kept: BackgroundUpkeep, anchors: Sequence[Sequence[object]]) -> bool:
        """Mend the holders of a few anchors with one read; False when nothing is done: too many, or not found that way."""
        if kept.path is None or len(anchors) > FEW_ANCHORS:
            return False
        asked = of_few(kept.check.read, kept.path, [value for (value,) in anchors], FEW_HOLDERS)
        try:
            *rows, last = [*self._view.ask(asked)] or [{}]
        except ValueNotComputable:
            return False
        if NUMBER not in last:
            return not last
        if last[NUMBER] == FEW_HOLDERS:
            return False
        self._metrics.count("compared", last[NUMBER])
        self._mended(kept, list(self._differing(kept, rows)))
        return True

    def found_by(self, kept: BackgroundUpkeep, anchors: Sequence[Sequence[object]]) -> Iterator[object]:
        """Yield the ids of the holders with these anchors."""
        if kept.path is not None:
            for some in batches((value for (value,) in anchors), DOCUMENTS_AT_ONCE):
                for row in self._view.ask(ids_of_values(kept.check.read, kept.path, some)):
                    yield row[ID_COLUMN]
            return
        start = 0
        while start < len(anchors):
            left = len(anchors) - start
            search = next((each for each in kept.searches if len(each.parameters) >= left), kept.searches[-1])
            width = len(search.parameters)
            yield from self._searched(search, anchors[start : start + width])
            start += width

    def sharing(self, kept: BackgroundUpkeep, anchors: Sequence[Sequence[object]]) -> bool:
        """Repair the holders of these anchors in the short way, if possible; False if nothing was done.

        The expected values are read and written in one transaction: if somebody else changes a holder, one of them fails, and
        the long way is taken, as also if a row is gone whose copies must stay.
        """
        if kept.shared is None:
            return False
        try:
            with self._view.session.start_transaction(ONE_MOMENT, TO_LAST):
                written = self._shared(kept, kept.shared, anchors)
        except (PyMongoError, ReadError, _SourceGone):
            return False
        self._metrics.count("compared", written)
        self._metrics.count("written", written)
        return True

    def _shared(self, kept: BackgroundUpkeep, short: CompiledShared, anchors: Sequence[Sequence[object]]) -> int:
        """The copies written."""
        if kept.id not in self._updates:
            self._updates[kept.id] = Updates(short.command)
        of = self._updates[kept.id].of
        written = 0
        for values in batches((value for (value,) in anchors), DOCUMENTS_AT_ONCE):
            found = DistinctValues()
            rows = list(self._view.ask(of_values(short.read, short.path, values)))
            found.update(row[ANCHOR] for row in rows)
            there = len(found)
            found.update(values)
            gone = [{ANCHOR: value} for value in found.values[there:]]
            if gone and not self._remove:
                raise _SourceGone
            updates = [of(row) for row in (*rows, *gone)]
            self._may_go_on()
            collection = self._view.reached[kept.collection]
            written += collection.bulk_write(updates, session=self._view.session).modified_count
        return written

    def _searched(self, search: CompiledSearch, anchors: Sequence[Sequence[object]]) -> Iterator[object]:
        """The results of a search for these anchors; it takes a fixed number of them, so the last one is repeated."""
        padded = [*anchors, *[anchors[-1]] * (len(search.parameters) - len(anchors))]
        names = (name for row in search.parameters for name in row)
        values = (value for row in padded for value in row)
        last: object = self  # no id
        for row in self._view.ask(with_values(search.read, names, values)):
            if row[ID_COLUMN] != last:
                last = row[ID_COLUMN]
                yield last

    def _differing(self, kept: BackgroundUpkeep, rows: Iterable[_Row]) -> Iterator[_Row]:
        return (row for row in rows if differing_values(kept.check.check, row))

    def _read(self, kept: BackgroundUpkeep, ids: Sequence[object]) -> list[_Row]:
        """The documents that differ. One that the server cannot compute with is found by bisection, named and left."""

        def ask(some: Sequence[object]) -> list[_Row]:
            return list(self._differing(kept, self._view.ask(of_ids(kept.check.read, some))))

        def left(one: object, why: str) -> list[_Row]:
            self._refuse(kept, f"{kept.id} of {shell(one)} in `{kept.collection}`", why)
            return []

        return by_halves(ids, ask, left)

    def _mended(self, kept: BackgroundUpkeep, rows: Sequence[_Row]) -> None:
        told: set[tuple[str, str]] = set()
        for attempt in range(ATTEMPTS):
            rows = self._with_source(kept, rows, told)
            if not rows:
                return
            self._may_go_on()
            written, refused = self._written(kept, rows)
            if written + len(refused) >= len(rows):
                return
            self._metrics.count("contended", len(rows) - written - len(refused))
            time.sleep(PAUSE_SECONDS * attempt)
            ids = [row[ID_COLUMN] for row in rows if row[ID_COLUMN] not in refused]
            rows = self._read(kept, ids)
        for row in rows:
            self._refuse(kept, f"{kept.id} of {shell(row[ID_COLUMN])}", "it kept changing while it was compared")

    def _refuse(self, kept: BackgroundUpkeep, what: str, why: str) -> None:
        self._unrepaired[kept.id] += 1
        self._metrics.refuse(what, why)

    def _with_source(self, kept: BackgroundUpkeep, rows: Sequence[_Row], told: set[tuple[str, str]]) -> list[_Row]:
        """The rows to repair; others are named unless they are in `told` already."""
        left = set() if self._remove else sourceless(kept.check, rows, self._of_ids)
        for place in sorted(left):
            if (this := where(kept.check.check, rows[place])) not in told:
                told.add(this)
                self._unrepaired[kept.id] += 1
                self._metrics.leave(f"{kept.id} of {shell(rows[place][ID_COLUMN])}")
        return [row for place, row in enumerate(rows) if place not in left]

    def _of_ids(self, compiled: CompiledCheck, ids: Sequence[object]) -> Iterator[_Row]:
        for some in batches(ids, DOCUMENTS_AT_ONCE):
            yield from self._view.ask(of_ids(compiled.read, some))

    def _written(self, kept: BackgroundUpkeep, rows: Sequence[_Row]) -> tuple[int, list[object]]:
        """How many copies changed, and the documents the server refused to change."""
        if kept.check.repair is None:
            for row in rows:
                self._refuse(kept, f"{kept.id} of {shell(row[ID_COLUMN])}", kept.check.check.next_move)
            return 0, [row[ID_COLUMN] for row in rows]
        if kept.id not in self._repairs:
            self._repairs[kept.id] = Repairs(kept.check)
        updates = [self._repairs[kept.id].of(row) for row in rows]
        collection = self._view.database[kept.collection]
        try:
            result = collection.bulk_write(updates, ordered=False, session=self._view.session)
            written, refused = result.modified_count, []
        except BulkWriteError as error:
            if is_transient(error) or disk_is_full(error):
                raise
            details: Mapping[str, Any] = error.details or {}
            written = int(details.get("nModified", 0))
            refused = [rows[each["index"]][ID_COLUMN] for each in details.get("writeErrors", ())]
            for each in details.get("writeErrors", ()):
                self._refuse(kept, f"{kept.id} of {shell(rows[each['index']][ID_COLUMN])}", why_refused(each))
        self._metrics.count("written", written)
        return written, refused


class _SourceGone(Exception):
    """A row is not there any more, and its copies are to stay."""
