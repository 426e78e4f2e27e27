"""One process at a time: a lease in the database, renewed by a thread, by the server's clock."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any

from pymongo.database import Database
from pymongo.errors import DuplicateKeyError, PyMongoError

from nestling.common.errors import MigrationError, Problem

LEASE_SECONDS = 3.0
RENEW_SECONDS = 0.5
_ID = "lease"


@contextmanager
def alone(database: Database[Any], collection: str) -> Iterator[Callable[[], None]]:
    """Hold the lease; yields what raises `MigrationError` once it is lost. A dead process's lease is waited for."""
    owner, lost, over = uuid.uuid4().hex, Event(), Event()
    leases = database[collection]
    _take(database, collection, owner)

    def renew() -> None:
        while not over.wait(RENEW_SECONDS):
            with suppress(PyMongoError):
                if not leases.update_one({"_id": _ID, "owner": owner}, _until(owner)).matched_count:
                    lost.set()
                    break

    def check() -> None:
        if lost.is_set():
            raise MigrationError(Problem("another process has taken over this migration", where=collection))

    thread = Thread(target=renew, name="migration lease", daemon=True)
    thread.start()
    try:
        yield check
    finally:
        over.set()
        thread.join()
        with suppress(PyMongoError):
            leases.delete_one({"_id": _ID, "owner": owner})


def _take(database: Database[Any], collection: str, owner: str) -> None:
    leases, end = database[collection], time.monotonic() + 2 * LEASE_SECONDS
    while True:
        with suppress(DuplicateKeyError):  # there is one, and perhaps it has run out
            leases.insert_one({"_id": _ID})
        free = {"_id": _ID, "$expr": {"$lt": [{"$ifNull": ["$expires", None]}, "$$NOW"]}}
        if leases.update_one(free, _until(owner)).matched_count:
            return
        if time.monotonic() > end:
            what = "another process is at this migration"
            raise MigrationError(Problem(what, where=database.name, next_move="let it come to its end, or stop it"))
        time.sleep(RENEW_SECONDS / 4)


def _until(owner: str) -> list[dict[str, Any]]:
    return [{"$set": {"owner": owner, "expires": {"$add": ["$$NOW", int(1000 * LEASE_SECONDS)]}}}]
