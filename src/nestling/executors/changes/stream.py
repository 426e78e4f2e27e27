"""Following changes: a thread reads ahead into a bounded queue, so that a slow consumer slows the reading, and nothing else.

After an error that may pass (an election, a broken connection) the stream is opened again where it stopped, for as long as the
patience lasts; nothing is seen twice within one stream.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Any, TypeAlias

from bson.timestamp import Timestamp
from pymongo.change_stream import DatabaseChangeStream
from pymongo.database import Database
from pymongo.errors import PyMongoError

from nestling.executors.abilities import server_version
from nestling.executors.changes.change import ChangeEvent, EventKind, HistoryPoint, change_of, point_of
from nestling.executors.changes.errors import changes_error
from nestling.executors.changes.fragments import Fragments
from nestling.executors.changes.pipeline import Watching, options, pipeline
from nestling.executors.errors.transient import PATIENCE_SECONDS, Patience
from nestling.executors.exact import exact

READ_AHEAD = 2_000
"""Changes held for the consumer; small ones, unless documents are asked for."""
AWAIT_MILLISECONDS = 250
"""How long the server waits for a change before it says that there is none; also how soon a stop is noticed."""

_Read: TypeAlias = ChangeEvent | HistoryPoint | Exception
"""A change, the point reached while nothing happened, or what ended the reading."""


@dataclass(frozen=True, slots=True)
class ChangeBatch:
    """Changes in the server's order, and the point after the last of them (and after what came since and does not matter)."""

    changes: tuple[ChangeEvent, ...]
    point: HistoryPoint


class ChangeStream:
    """An open stream."""

    def __init__(
        self, database: Database[Any], watching: Watching, patience_seconds: float, await_milliseconds: int
    ) -> None:
        self._await_milliseconds = await_milliseconds
        self._database = exact(database)
        self._watching, self._patience_seconds = watching, patience_seconds
        self._queue: Queue[_Read] = Queue(READ_AHEAD)
        self._stopped = Event()
        self._error: Exception | None = None
        self._version = server_version(database)
        self.point: HistoryPoint

    @property
    def behind(self) -> int:
        """The number of changes that have been read and not taken."""
        return self._queue.qsize()

    def take(self, most: int, wait_seconds: float) -> ChangeBatch:
        """Up to `most` changes: those already received, else the first to arrive in time; none if the server says there are none.

        Raises `ChangesError` (`HistoryLost`), or the driver's error once retrying has taken too long.
        """
        found: list[ChangeEvent] = []
        end = time.monotonic() + wait_seconds
        while len(found) < most and self._error is None:
            try:
                each = (
                    self._queue.get(timeout=max(end - time.monotonic(), 0.0)) if not found else self._queue.get(False)
                )
            except Empty:
                break
            match each:
                case ChangeEvent():
                    found.append(each)
                    self.point = each.point
                case HistoryPoint():
                    self.point = each
                    if not found:
                        break
                case _:
                    self._error = each
        if self._error is not None and not found:
            raise self._error
        return ChangeBatch(tuple(found), self.point)

    def open(self, after: HistoryPoint | None, at: Timestamp | None) -> Thread:
        """Open it, and start the thread that reads."""
        with self._typed():
            stream = self._opened(after.token if after is not None else None, at)
        token = after.token if after is not None else stream.resume_token
        begun = (
            point_of(token) if token is not None else HistoryPoint({}, at)
        )  # a stream with events at hand has no token yet
        self.point = after if after is not None else begun
        thread = Thread(target=self._read, args=(stream, token, at), name="changes", daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        """Stop reading."""
        self._stopped.set()

    def _opened(self, token: Any, at: Timestamp | None = None) -> DatabaseChangeStream[Any]:
        return self._database.watch(
            pipeline(self._watching, self._version),
            start_after=token,
            start_at_operation_time=at if token is None else None,
            max_await_time_ms=self._await_milliseconds,
            **options(self._watching, self._version),
        )

    def _read(self, stream: DatabaseChangeStream[Any], token: Any, at: Timestamp | None) -> None:
        """The thread: what it raises is handed to whoever takes."""
        cursor = _Cursor(stream, token)
        patience = Patience(self._patience_seconds)
        while not self._stopped.is_set():
            try:
                if cursor.stream is None:
                    cursor.stream = self._opened(cursor.token, at)
                each = cursor.step()
                patience = Patience(self._patience_seconds)
                if each is not None:
                    self._put(each)
            except PyMongoError as error:
                cursor.close()
                if not patience.allows(error):
                    self._put(changes_error(error, self._database.name) or error)
                    break
                self._stopped.wait(patience.pause_seconds())
            except Exception as error:
                self._put(error)
                break
        cursor.close()

    def _put(self, each: _Read) -> None:
        """Wait for room, unless nobody wants it any more."""
        while not self._stopped.is_set():
            try:
                self._queue.put(each, timeout=0.5)
                return
            except Full:
                if isinstance(each, HistoryPoint):
                    return

    @contextmanager
    def _typed(self) -> Iterator[None]:
        try:
            yield
        except PyMongoError as error:
            ours = changes_error(error, self._database.name)
            if ours is None:
                raise
            raise ours from error


class _Cursor:
    """The server's cursor while it lives, and the token it is opened again after."""

    def __init__(self, stream: DatabaseChangeStream[Any], token: Any) -> None:
        self.stream: DatabaseChangeStream[Any] | None = stream
        self.token = token
        self._fragments = Fragments()

    def step(self) -> ChangeEvent | HistoryPoint | None:
        """The next change, or the point reached without one; None within a change that comes in fragments."""
        assert self.stream is not None
        event = self.stream.try_next()
        if event is None:
            self.token = self.stream.resume_token or self.token
            return point_of(self.token)
        whole = self._fragments.whole(event)
        if whole is None:
            return None
        change = change_of(whole)
        self.token = change.point.token
        if change.kind is EventKind.INVALIDATE:
            self.close()
        return change

    def close(self) -> None:
        """Let the server forget it."""
        if self.stream is not None:
            with suppress(PyMongoError):
                self.stream.close()
            self.stream = None


@contextmanager
def follow(
    database: Database[Any],
    watching: Watching,
    *,
    after: HistoryPoint | None = None,
    at: Timestamp | None = None,
    patience_seconds: float = PATIENCE_SECONDS,
    await_milliseconds: int = AWAIT_MILLISECONDS,
) -> Iterator[ChangeStream]:
    """Follow the changes after a point, else from a cluster time on, else from now on.

    Raises `NoChangeStreams`, `HistoryLost`, or the driver's error.
    """
    stream = ChangeStream(database, watching, patience_seconds, await_milliseconds)
    thread = stream.open(after, at)
    try:
        yield stream
    finally:
        stream.stop()
        thread.join()
