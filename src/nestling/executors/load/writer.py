"""Writing: encoded documents go to the server in batches from a thread of their own, while the next batch is being built.

Batches are inserted unordered, acknowledged, and followed by the checkpoint they lead to. Where a load goes on after an
interruption the server may hold documents that no checkpoint tells of: a document refused as a duplicate is then fine when it
is the very same, byte for byte.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from bson.codec_options import CodecOptions
from bson.raw_bson import RawBSONDocument
from pymongo import WriteConcern
from pymongo.database import Database
from pymongo.errors import BulkWriteError

from nestling.executors.load.checkpoint import Checkpoint, Checkpoints
from nestling.executors.load.refusal import DUPLICATE, refusal

BATCH_DOCUMENTS = 5_000
BATCH_BYTES = 8 * 1024 * 1024
QUEUED_BATCHES = 2
CHECKPOINT_SECONDS = 0.5
"""A checkpoint waits for the server's disk; more often than this would cost more than the little a restart repeats."""
_RAW: CodecOptions[RawBSONDocument] = CodecOptions(document_class=RawBSONDocument)


@dataclass(slots=True)
class Batch:
    """Encoded documents by collection, complete up to `checkpoint`; `lasting`: the checkpoint is saved at once."""

    documents: dict[str, list[bytes]] = field(default_factory=dict)
    count: int = 0
    size_bytes: int = 0
    checkpoint: Checkpoint | None = None
    lasting: bool = False

    def add(self, store: str, encoded: bytes) -> None:
        """Add one document."""
        self.documents.setdefault(store, []).append(encoded)
        self.count += 1
        self.size_bytes += len(encoded)


class Writer:
    """Writes batches in order; an error stops it and is raised by the next call."""

    def __init__(self, database: Database[Any], checkpoints: Checkpoints, *, repeats: bool) -> None:
        self._database = database
        self._checkpoints = checkpoints
        self._repeats = repeats
        self._batches: queue.Queue[Batch | None] = queue.Queue(QUEUED_BATCHES)
        self._error: BaseException | None = None
        self._saved = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="nestling-writer", daemon=True)
        self._thread.start()

    def write(self, batch: Batch) -> None:
        """Hand over a batch; waits while enough are waiting. Raises what an earlier batch met."""
        while True:
            self._raise()
            try:
                return self._batches.put(batch, timeout=0.2)
            except queue.Full:
                continue

    def close(self) -> None:
        """Write what was handed over and stop; raises what a batch met."""
        while self._thread.is_alive():
            try:
                self._batches.put(None, timeout=0.2)
                break
            except queue.Full:
                continue
        self._thread.join()
        self._raise()

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        latest: Checkpoint | None = None
        try:
            while (batch := self._batches.get()) is not None:
                for store, documents in batch.documents.items():
                    self._insert(store, documents)
                latest = batch.checkpoint
                if latest is not None and (batch.lasting or time.monotonic() - self._saved >= CHECKPOINT_SECONDS):
                    self._checkpoints.save(latest)
                    self._saved, latest = time.monotonic(), None
            if latest is not None:
                self._checkpoints.save(latest)
        except BaseException as error:
            self._error = error

    def _insert(self, store: str, encoded: list[bytes]) -> None:
        documents = list(map(RawBSONDocument, encoded))
        collection = self._database.get_collection(store, codec_options=_RAW, write_concern=WriteConcern(w=1))
        try:
            collection.insert_many(documents, ordered=False)
        except BulkWriteError as error:
            errors: list[Any] = error.details["writeErrors"] if error.details else []
            unexplained = [item for item in errors if not (self._repeats and self._is_same(collection, item))]
            if unexplained or not errors:
                raise refusal(store, unexplained, error) from None

    @staticmethod
    def _is_same(collection: Any, item: Any) -> bool:
        """Whether a document was refused because exactly it is already there."""
        if item["code"] != DUPLICATE:
            return False
        refused: RawBSONDocument = item["op"]
        found = collection.find_one({"_id": refused["_id"]})
        return found is not None and found.raw == refused.raw
