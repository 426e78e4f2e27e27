"""Errors that may pass by themselves: elections, broken connections, writes in each other's way; and waiting for that."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pymongo.asynchronous.database import AsyncDatabase
from pymongo.database import Database
from pymongo.errors import (
    BulkWriteError,
    ConnectionFailure,
    CursorNotFound,
    OperationFailure,
    PyMongoError,
    ServerSelectionTimeoutError,
    WTimeoutError,
)

from nestling.common.connection import address, typed_errors
from nestling.common.server_codes import TRANSIENT_CODES, TRANSIENT_LABELS

PATIENCE_SECONDS = 120.0
FIRST_PAUSE_SECONDS = 0.05
LONGEST_PAUSE_SECONDS = 2.0


def is_transient(error: PyMongoError) -> bool:
    """Whether the same may succeed when it is tried again."""
    if isinstance(error, ConnectionFailure | CursorNotFound | WTimeoutError) or error.timeout:
        return True
    if any(error.has_error_label(label) for label in TRANSIENT_LABELS):
        return True
    if isinstance(error, BulkWriteError):
        details = error.details or {}
        codes = [each.get("code") for each in details.get("writeErrors", ())]
        codes += [each.get("code") for each in details.get("writeConcernErrors", ())]
        return bool(codes) and TRANSIENT_CODES.issuperset(codes)
    return isinstance(error, OperationFailure) and error.code in TRANSIENT_CODES


@contextmanager
def no_server_is_final(database: Database[Any] | AsyncDatabase[Any]) -> Iterator[None]:
    """Inside a transaction: the driver would begin it again for two minutes where it has found no server in its own time."""
    try:
        yield
    except ServerSelectionTimeoutError:
        with typed_errors(address(database)):
            raise


def cause(error: BaseException) -> PyMongoError | None:
    """The driver's error that an error is, or tells of in other words."""
    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, PyMongoError):
        seen = seen.__cause__ or seen.__context__
    return seen


class Patience:
    """How long the same is tried again while errors that may pass last, and the pauses between, longer each time."""

    def __init__(self, seconds: float = PATIENCE_SECONDS) -> None:
        self._seconds = seconds
        self._since: float | None = None
        self._pause = FIRST_PAUSE_SECONDS / 2

    def allows(self, error: PyMongoError) -> bool:
        """Whether to try again after this error."""
        now = time.monotonic()
        self._since = self._since if self._since is not None else now
        return is_transient(error) and now - self._since < self._seconds

    def pause_seconds(self) -> float:
        """How long to wait before the next attempt."""
        self._pause = min(2 * self._pause, LONGEST_PAUSE_SECONDS)
        return self._pause
