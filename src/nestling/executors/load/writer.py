"""Writes encoded documents to the server in batches from a separate thread, while the next batch is being built.

Batches are inserted unordered, acknowledged, and followed by their checkpoint. After an interruption the server may hold
documents after the last checkpoint: a document refused as a duplicate is then fine if it is identical byte for byte.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bson.raw_bson import RawBSONDocument
from pymongo.database import Database
from pymongo.errors import AutoReconnect, OperationFailure

from nestling.common.errors import PermissionDenied, Problem
from nestling.common.server_codes import DUPLICATE_KEY, NOT_VALID, UNAUTHORIZED
from nestling.executors.batches import INSERTED_BYTES, batches_within
from nestling.executors.create import modify
from nestling.executors.errors.invalid import invalid_words
from nestling.executors.load.checkpoint import Checkpoints, LoadCheckpoint
from nestling.executors.load.refusal import refusal
from nestling.ir.codec import RAW
from nestling.ir.design import Design
from nestling.ir.programs.command import ModifyCollection
from nestling.ir.storage.stored_names import path_names

BATCH_DOCUMENTS = 10_000
BATCH_BYTES = 8 * 1024 * 1024
QUEUED_BATCHES = 2
CHECKPOINT_SECONDS = 0.5
"""A checkpoint waits for the server's disk; more often than this would cost more than the little a restart repeats."""


@dataclass(slots=True)
class DocumentBatch:
    """Encoded documents by collection, complete up to `checkpoint`; `lasting`: the checkpoint is saved at once."""

    documents: defaultdict[str, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    count: int = 0
    size_bytes: int = 0
    checkpoint: LoadCheckpoint | None = None
    lasting: bool = False

    def add(self, store: str, encoded: bytes) -> None:
        """Add one document."""
        self.documents[store].append(encoded)
        self.count += 1
        self.size_bytes += len(encoded)


class Writer:
    """Writes batches in order; an error stops it and is raised by the next call.

    `unseen`: commands by which validators take more, should it be needed. `repeats`: documents may be there already.
    `without_id`: collections that would take a document twice.
    """

    def __init__(
        self,
        database: Database[Any],
        checkpoints: Checkpoints,
        design: Design,
        *,
        unseen: Mapping[str, Sequence[ModifyCollection]],
        repeats: bool,
        without_id: Collection[str] = (),
    ) -> None:
        self._database = database
        self._checkpoints = checkpoints
        self._design = design
        self._repeats, self._without_id = repeats, without_id
        self._unseen = dict(unseen)
        self._widened: dict[str, str] = {}
        self._batches: queue.Queue[DocumentBatch | None] = queue.Queue(QUEUED_BATCHES)
        self._error: BaseException | None = None
        self._saved = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="nestling-writer", daemon=True)
        self._thread.start()

    def write(self, batch: DocumentBatch) -> None:
        """Pass on a batch; waits while too many are pending. Raises the error of an earlier batch."""
        while True:
            self._raise()
            try:
                return self._batches.put(batch, timeout=0.2)
            except queue.Full:
                continue

    def close(self) -> None:
        """Write what was passed on and stop. Raises the error of a batch."""
        while self._thread.is_alive():
            try:
                self._batches.put(None, timeout=0.2)
                break
            except queue.Full:
                continue
        self._thread.join()
        self._raise()

    def notes(self) -> Iterator[str]:
        """A sentence about collections whose validator had to take more than the design says."""
        if self._widened:
            yield (
                "rows hold values that are not in the design, so the validators of their collections now accept such "
                f"values: {'; '.join(f'{store} ({words})' for store, words in self._widened.items())}. Design again from "
                "the database to include them in the design"
            )

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        latest: LoadCheckpoint | None = None
        try:
            while (batch := self._batches.get()) is not None:
                for store, documents in batch.documents.items():
                    for some in batches_within(INSERTED_BYTES, documents, len):
                        self._insert(store, some, repeats=self._repeats)
                latest = batch.checkpoint
                if latest is not None and (batch.lasting or time.monotonic() - self._saved >= CHECKPOINT_SECONDS):
                    self._checkpoints.save(latest)
                    self._saved, latest = time.monotonic(), None
            if latest is not None:
                self._checkpoints.save(latest)
        except BaseException as error:
            self._error = error

    def _insert(self, store: str, encoded: list[bytes], *, repeats: bool) -> None:
        """One insert command: the driver's `insert_many`, with its retries, costs client and server a sixth more."""
        documents = list(map(RawBSONDocument, encoded))
        command = {"insert": store, "documents": documents, "ordered": False, "writeConcern": {"w": 1}}
        try:
            reply = self._database.command(command)
        except AutoReconnect:
            if repeats or store in self._without_id:
                raise
            self._insert(store, encoded, repeats=True)  # some may have been written, or all
            return
        except OperationFailure as error:
            raise refusal(store, [], error) from None
        refused = [(documents[item["index"]], item) for item in reply.get("writeErrors", ())]
        unexplained = [pair for pair in refused if not (repeats and self._is_same(store, *pair))]
        invalid = [pair for pair in unexplained if pair[1]["code"] == NOT_VALID]
        if invalid and store in self._unseen:
            self._take_unseen(store, invalid[0][1])
            unexplained = [pair for pair in unexplained if pair not in invalid]
            self._insert(store, [document.raw for document, _ in invalid], repeats=repeats)
        if unexplained:
            raise refusal(store, unexplained, names=path_names(self._design, (store,)), resumed=self._repeats)

    def _take_unseen(self, store: str, error: Mapping[str, Any]) -> None:
        """After a refusal, make a collection's validator accept values unknown to the model."""
        words = invalid_words(error, path_names(self._design, (store,))).removeprefix(": ")
        try:
            for command in self._unseen[store]:
                modify(self._database, command)
                self._unseen.pop(command.name, None)
        except OperationFailure as failure:
            if failure.code != UNAUTHORIZED:
                raise
            what = f"rows hold values that are not in the design ({words}), and this user may not `collMod`"
            move = (
                "grant it (the role `dbAdmin` has it), and continue with `--resume`; or design again from the database"
            )
            raise PermissionDenied(Problem(what, where=store, next_move=move)) from None
        self._widened[store] = words

    def _is_same(self, store: str, refused: RawBSONDocument, error: Mapping[str, Any]) -> bool:
        """Whether a document was refused because exactly the same one already exists."""
        if error["code"] != DUPLICATE_KEY:
            return False
        found: Any = self._database.get_collection(store, codec_options=RAW).find_one({"_id": refused["_id"]})
        return found is not None and found.raw == refused.raw
