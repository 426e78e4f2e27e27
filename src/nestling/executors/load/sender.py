"""From documents to batches: encoding, the size bound, and which checkpoint each batch leads to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import bson

from nestling.common.errors import LoadError, Problem
from nestling.executors.load.checkpoint import LoadCheckpoint
from nestling.executors.load.document_code import NewDocument, RowKey
from nestling.executors.load.merge import SIDE, Merge
from nestling.executors.load.roots import Documents
from nestling.executors.load.units import Unit
from nestling.executors.load.writer import BATCH_BYTES, BATCH_DOCUMENTS, DocumentBatch, Writer
from nestling.ir.codec import CODEC
from nestling.ir.literals import shell
from nestling.ir.workload import DOCUMENT_BYTES

UNENCODABLE = (bson.errors.BSONError, OverflowError, UnicodeError)


class Sender:
    """Collects one unit's documents into batches that end with a root document.

    A unit that cannot continue after a key is built from its beginning: its checkpoint has the `rows` and `documents` from
    before the unit, and root documents already written are skipped.
    """

    def __init__(
        self, unit: Unit, checkpoint: LoadCheckpoint, writer: Writer, rows: Counter[str], documents: Counter[str]
    ) -> None:
        self._unit, self._writer, self._rows, self._documents = unit, writer, rows, documents
        self._checkpoint = replace(checkpoint, unit=unit.name)
        self._written = 0 if unit.anew else checkpoint.roots_of(unit.name)
        self._batch = DocumentBatch()

    def send_all(self, documents: Documents, merge: Merge) -> Iterator[None]:
        """Send root documents with their side documents; yields now and then, so that others can check the progress."""
        counts, side, batch, encode, codec = self._documents, merge.side, self._batch, bson.encode, CODEC
        for number, (store, document, row) in enumerate(
            documents, 1
        ):  # the hot loop: calls it can do without are written out
            counts[store] += 1
            if number > self._written:
                try:
                    encoded = encode(document, codec_options=codec)
                except UNENCODABLE as error:
                    raise self._unencodable(store, document, error) from None
                size = len(encoded)
                if size > DOCUMENT_BYTES:
                    raise self._too_large(store, document, size)
                batch.documents[store].append(encoded)
                batch.count += 1
                batch.size_bytes += size
            if side:
                self._send_side(side, is_new=number > self._written)
            if batch.size_bytes >= BATCH_BYTES or batch.count >= BATCH_DOCUMENTS:
                self._flush(row[: merge.key_width], number)
                batch = self._batch
                yield

    def _send_side(self, side: SIDE, *, is_new: bool) -> None:
        for store, document in side:
            self._documents[store] += 1
            if is_new:
                self._batch.add(store, self._encoded(store, document))
        side.clear()

    def abandon(self) -> None:
        """Send the complete root documents collected so far: the next one cannot be stored. The checkpoint stays behind them."""
        if self._batch.count:
            self._batch.checkpoint = self._checkpoint
            self._writer.write(self._batch)

    def finish(self) -> LoadCheckpoint:
        """Send the rest, and return the checkpoint after the unit."""
        self._checkpoint = self._checkpoint.after_unit(self._unit.name, self._rows, self._documents)
        self._batch.checkpoint, self._batch.lasting = self._checkpoint, True
        self._writer.write(self._batch)
        return self._checkpoint

    def _flush(self, key: RowKey, roots: int) -> None:
        if self._unit.by_key:
            rows, documents = dict(self._rows), dict(self._documents)
            self._checkpoint = replace(self._checkpoint, after=key, rows=rows, documents=documents)
        elif not self._unit.anew:
            self._checkpoint = replace(self._checkpoint, roots=roots)
        self._batch.checkpoint = self._checkpoint
        self._writer.write(self._batch)
        self._batch = DocumentBatch()

    def _encoded(self, store: str, document: NewDocument) -> bytes:
        try:
            encoded = bson.encode(document, codec_options=CODEC)
        except UNENCODABLE as error:
            raise self._unencodable(store, document, error) from None
        if len(encoded) > DOCUMENT_BYTES:
            raise self._too_large(store, document, len(encoded))
        return encoded

    @staticmethod
    def _unencodable(store: str, document: NewDocument, error: Exception) -> LoadError:
        return LoadError(Problem(f"cannot be stored: {error}", where=_place(store, document)))

    @staticmethod
    def _too_large(store: str, document: NewDocument, size_bytes: int) -> LoadError:
        what = f"the document has {size_bytes:,} bytes; the server accepts at most {DOCUMENT_BYTES:,}"
        move = "reference, bucket or bound its contents, or split them off (GridFS for large values)"
        return LoadError(Problem(what, where=_place(store, document), next_move=move))


def _place(store: str, document: NewDocument) -> str:
    return f"{store}, _id {shell(document['_id'])}"
