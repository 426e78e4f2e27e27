"""`Recorder`: records what an application asks of MongoDB, with one line of code.

::

    client = MongoClient(uri, event_listeners=[Recorder("capture.json")])

It keeps shapes without values (`{find: products, filter: {_id: {$eq: "?number"}}}`), how often each occurred and how long it
took, in bounded memory, and writes them to the file every minute, on `close()` and when the program ends. If the file exists,
it takes the next free name (`capture-2.json`), so that several processes may use the same line. `nestling capture capture*.json
--design design.yaml -o workload.sql` turns them into SQL statements.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pymongo.monitoring import CommandFailedEvent, CommandListener, CommandStartedEvent, CommandSucceededEvent

from nestling.common.files import write_whole
from nestling.ir.capture import Capture, CaptureKind, CommandOperation, Sums, Tally, capture_text, list_values, parts
from nestling.ir.capture.driver_values import as_sent
from nestling.ir.capture.samples import sample_values

__all__ = ["Recorder"]

WRITE_SECONDS = 60.0
PENDING = 1_000
"""Commands that may be under way; of more, the oldest are forgotten."""
_OURS = frozenset(each.lower() for each in CommandOperation)
_LOG = logging.getLogger("nestling.recorder")


class Recorder(CommandListener):
    """A listener of pymongo's: pass it to `MongoClient(event_listeners=[…])`, or to `AsyncMongoClient`."""

    def __init__(self, path: str | Path, *, samples: bool = False) -> None:
        """Record to `path`; raises OSError when nothing can be written there.

        `samples`: keep one value of each parameter too, as an example. They are written to the file: only when nothing is secret.
        """
        self.path = _free(Path(path))
        self._samples = samples
        self._tally = Tally(CaptureKind.RECORDER)
        self._pending: OrderedDict[int, tuple[str, Mapping[str, Any]]] = OrderedDict()
        self._lock, self._writing = threading.Lock(), threading.Lock()
        self._begun = self._written = time.monotonic()
        self._is_due_at_exit = False
        self._write_at_exit()

    def started(self, event: CommandStartedEvent) -> None:
        """Hear of a command (called by the driver)."""
        if event.command_name.lower() in _OURS:
            with self._lock:
                self._pending[event.request_id] = (event.database_name, event.command)
                if len(self._pending) > PENDING:
                    self._pending.popitem(last=False)

    def succeeded(self, event: CommandSucceededEvent) -> None:
        """Hear that it was answered (called by the driver)."""
        if event.command_name.lower() not in _OURS:
            return
        with self._lock:
            begun = self._pending.pop(event.request_id, None)
            if begun is None or (event.reply.get("n") == 0 and event.reply.get("writeErrors")):
                return  # nothing was done
            now = time.monotonic()
            self._count(begun[0], as_sent(begun[1]), event, now)
            self._write_at_exit()
            is_time = now - self._written > WRITE_SECONDS
            self._written = now if is_time else self._written
        if is_time:
            self._write()

    def failed(self, event: CommandFailedEvent) -> None:
        """Called by the driver when a command failed: it is not counted."""
        with self._lock:
            self._pending.pop(event.request_id, None)

    def capture(self) -> Capture:
        """The statements recorded so far."""
        with self._lock:
            return self._tally.capture(time.monotonic() - self._begun)

    def close(self) -> None:
        """Write the recording. The recorder continues, and writes the file again later."""
        with self._lock:
            atexit.unregister(self.close)
            self._is_due_at_exit = False
            self._written = time.monotonic()
        self._write()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write_at_exit(self) -> None:
        """Have the file written when the program ends."""
        if not self._is_due_at_exit:
            atexit.register(self.close)
            self._is_due_at_exit = True

    def _count(self, database: str, command: Mapping[str, Any], event: CommandSucceededEvent, now: float) -> None:
        returned, documents = _answer(event.reply)
        seconds, rows = event.duration_micros / 1e6, int(event.reply.get("n") or 0)
        for place, part in enumerate(parts(database, command)):
            first = place == 0  # sums are the command's: they are counted once
            sums = Sums(
                seconds=seconds if first else 0.0,
                returned=returned if first else 0,
                written=rows if first and not part.shape.operation.reads else 0,
                listed=round(list_values(command, place) * part.count),
            )
            if self._tally.add(part.shape, sums, part.count) and self._samples:
                self._tally.sample(part.shape, sample_values(command, place))
            if part.shape.operation.reads:
                asked = command.get("filter") or command.get("query")
                self._tally.follower.watch(threading.get_ident(), now, part.shape, asked, returned, documents)

    def _write(self) -> None:
        """Write the file, one thread at a time, so that it never goes back to an earlier state."""
        try:
            with self._writing:
                write_whole(self.path, capture_text(self.capture()).encode())
        except OSError as error:
            _LOG.warning("the recording %s cannot be written: %s", self.path, error)


def _answer(reply: Mapping[str, Any]) -> tuple[int, list[Mapping[str, Any]]]:
    """The number of documents in an answer's first batch, and those of them that are decoded."""
    cursor = reply.get("cursor")
    batch = cursor.get("firstBatch") if isinstance(cursor, Mapping) else None
    if not isinstance(batch, list):
        return 0, []
    return len(batch), batch if batch and isinstance(batch[0], dict) else []


def _free(path: Path) -> Path:
    """The path, or the next name that no file has; the file is made, empty, so that no other process takes it."""
    for candidate in _names(path):
        try:
            os.close(os.open(candidate, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            continue
        return candidate
    raise AssertionError("names do not end")


def _names(path: Path) -> Iterator[Path]:
    yield path
    number = 2
    while True:
        yield path.with_name(f"{path.stem}-{number}{path.suffix}")
        number += 1
