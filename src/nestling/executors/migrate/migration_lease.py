"""One process at a migration at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pymongo.database import Database
from pymongo.errors import PyMongoError

from nestling.common.errors import LeaseLost, MigrationError, Problem
from nestling.executors.lease import LIVE, Lease

LEASE_SECONDS = 3.0
_ID = "lease"
PAUSE_SECONDS = 0.125


def is_taken(database: Database[Any], collection: str) -> bool:
    """Whether some process has the lease now."""
    return database[collection].find_one({"_id": _ID, "$expr": LIVE}) is not None


@contextmanager
def alone(database: Database[Any], collection: str) -> Iterator[Callable[[], None]]:
    """Hold the lease; yields a function that raises `LeaseLost` once it is lost. Waits for a dead process's lease to expire."""
    lease = Lease(database, collection, _ID, "this migration", seconds=LEASE_SECONDS)
    end = time.monotonic() + 2 * LEASE_SECONDS
    while lease.taken() is None:
        if time.monotonic() > end:
            what = "another process is running this migration"
            raise MigrationError(Problem(what, where=database.name, next_move="let it finish, or stop it"))
        time.sleep(PAUSE_SECONDS)
    lease.keep()
    try:
        yield lease.held
    finally:
        with suppress(PyMongoError, LeaseLost):
            lease.release()
