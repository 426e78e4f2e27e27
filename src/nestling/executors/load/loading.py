"""The loop: unit by unit, documents are built, encoded and handed to the writer."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from pymongo.database import Database

from nestling.common.collector import seldom_collected
from nestling.common.connection import address, typed_errors
from nestling.common.errors import LoadError, Problem
from nestling.executors.create import check_empty, create_indexes
from nestling.executors.load.checkpoint import Checkpoints, LoadCheckpoint
from nestling.executors.load.dangling import check_parents
from nestling.executors.load.empty import check_kept, empty
from nestling.executors.load.highest_numbers import keep_numbers
from nestling.executors.load.merge import Merge
from nestling.executors.load.report import LoadProgress, LoadReport, peak_bytes
from nestling.executors.load.sender import Sender
from nestling.executors.load.stored_value import ValueEncoders
from nestling.executors.load.units import Unit, gridfs_indexes, units_of, written_collections
from nestling.executors.load.writer import Writer
from nestling.executors.moment import now
from nestling.executors.rights import WRITING, check_privileges
from nestling.ir.design import Design
from nestling.ir.digest import stored_digest
from nestling.ir.programs.command import CreateIndex, ModifyCollection
from nestling.ir.rows import RowSource
from nestling.ir.storage.names import CHECKPOINT_COLLECTION, NUMBERS_COLLECTION
from nestling.ir.values import Policy

PROGRESS_SECONDS = 0.2
RESUMABLE = "loaded documents are kept; continue with `--resume`"


def load(
    design: Design,
    source: RowSource,
    database: Database[Any],
    *,
    indexes: Sequence[CreateIndex] = (),
    unseen: Mapping[str, Sequence[ModifyCollection]] = MappingProxyType({}),
    resume: bool = False,
    policy: Policy | None = None,
    progress: Callable[[LoadProgress], None] | None = None,
) -> LoadReport:
    """Load a source into a database whose collections exist (`create`), then build `indexes`.

    With `resume` an interrupted load continues where it stopped. Raises `LoadError` (a row that cannot be stored, with its
    name; everything loaded is intact), `PermissionDenied`, `ConnectionFailed`. On Ctrl-C, documents already passed to the
    writer are still written.

    `unseen`: by collection, the commands after which validators accept values unknown to the model. They run when the
    collection meets the first such value.
    """
    with typed_errors(address(database)), source.snapshot(), seldom_collected():
        return _Load(design, source, database, policy or Policy(), progress).run(indexes, unseen, resume=resume)


class _Load:
    """One load: the source of its rows, their target, and the progress."""

    def __init__(
        self,
        design: Design,
        source: RowSource,
        database: Database[Any],
        policy: Policy,
        progress: Callable[[LoadProgress], None] | None,
    ) -> None:
        self.design, self.source, self.database = design, source, database
        self.values, self._tell = ValueEncoders(policy), progress
        self.checkpoints = Checkpoints(database)
        self.rows: Counter[str] = Counter()
        self.documents: Counter[str] = Counter()
        self._began = self._told = time.monotonic()
        self._rows_before = 0

    def run(
        self, indexes: Sequence[CreateIndex], unseen: Mapping[str, Sequence[ModifyCollection]], *, resume: bool
    ) -> LoadReport:
        """Load everything that is not loaded yet."""
        total = {entity.name: self.source.count(entity.name) for entity in self.design.model.entities}
        checkpoint, is_new = self._begin(total, resume=resume)
        self.rows.update(checkpoint.rows)
        self.documents.update(checkpoint.documents)
        self._rows_before = self.rows.total()
        units = units_of(self.design)
        without_id = frozenset(unit.store.name for unit in units if unit.anew)
        writer = Writer(
            self.database, self.checkpoints, self.design, unseen=unseen, repeats=not is_new, without_id=without_id
        )
        try:
            self._units(units, checkpoint, writer, is_new=is_new)
        except BaseException as error:
            with suppress(Exception):  # whatever happened, what was handed over is written, and its checkpoint
                writer.close()
            if not isinstance(error, Exception):
                error.add_note(RESUMABLE)
            raise
        writer.close()
        self._check_complete(total)
        keep_numbers(self.design.model, self.source, self.database)
        create_indexes(self.database, (*indexes, *gridfs_indexes(self.design)))
        self.checkpoints.remove()
        entities = {name: (total[name], self.rows[name]) for name in total}
        seconds = time.monotonic() - self._began
        documents = dict.fromkeys((store.name for store in self.design.stores), 0) | self.documents
        return LoadReport(entities, documents, seconds, peak_bytes(), (*self.values.notes(), *writer.notes()))

    def _begin(self, total: dict[str, int], *, resume: bool) -> tuple[LoadCheckpoint, bool]:
        """The starting checkpoint, and whether it is the beginning; checks the preconditions before anything is written."""
        names = written_collections(self.design)
        check_privileges(self.database, ((*names, CHECKPOINT_COLLECTION, NUMBERS_COLLECTION), WRITING))
        mark = stored_digest(self.design, self.values.policy)
        checkpoint = self.checkpoints.resume(mark, total) if resume else None
        is_new = checkpoint is None
        if checkpoint is None:
            check_empty(self.database, names, resume=resume)
            checkpoint = LoadCheckpoint(mark, now(), total, names)
            self.checkpoints.save(checkpoint)
        check_parents(self.design, self.source)
        return checkpoint, is_new

    def _units(self, units: Sequence[Unit], checkpoint: LoadCheckpoint, writer: Writer, *, is_new: bool) -> None:
        for unit in units:
            if unit.name in checkpoint.done:
                continue
            if unit.anew and not is_new:
                empty(self.database, unit.store.name)
            checkpoint = self._unit(unit, checkpoint, writer)

    def _unit(self, unit: Unit, checkpoint: LoadCheckpoint, writer: Writer) -> LoadCheckpoint:
        """Load one unit; returns the checkpoint after it."""
        merge = Merge(
            self.design, self.source, self.values, checkpoint.moment, checkpoint.after_of(unit.name), self.rows
        )
        sender = Sender(unit, checkpoint, writer, self.rows, self.documents)
        try:
            for _ in sender.send_all(unit.documents(merge), merge):
                self._progress(unit.store.name, checkpoint.total)
        except LoadError:
            sender.abandon()
            raise
        finished = sender.finish()
        self._progress(unit.store.name, checkpoint.total, last=True)
        return finished

    def _progress(self, store: str, total: Mapping[str, int], *, last: bool = False) -> None:
        now = time.monotonic()
        if self._tell is None or (now - self._told < PROGRESS_SECONDS and not last):
            return
        self._told = now
        rows, seconds = self.rows.total(), now - self._began
        self._tell(LoadProgress(store, self.documents[store], rows, sum(total.values()), seconds, self._rows_before))

    def _check_complete(self, total: Mapping[str, int]) -> None:
        """Every row of the source must have been placed, once, and still be there."""
        wrong = [name for name in total if self.rows[name] != total[name]]
        if wrong:
            said = ", ".join(f"{self.rows[name]:,} of {total[name]:,} rows of `{name}`" for name in wrong)
            move = "load again with `--replace` while nothing writes to the source"
            raise LoadError(Problem(f"{said} were loaded: the source changed in the meantime", next_move=move))
        for store in self.design.stores:
            check_kept(self.database, store, self.documents[store.name])
