"""One active process: a lease in a document of the database, renewed by a thread, timed by the server's clock.

If that clock were set back, the lease of a dead process would be prolonged: so a waiting process also takes the lease if it was
not renewed for its duration by the waiting process's own clock.

The document is only written under the epoch of the lease: a process that was replaced cannot change it, and stops when it
notices. Between two renewals a process relies on its own monotonic clock, and does nothing once the lease may have expired.
"""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Event, Thread
from time import monotonic
from typing import Any

from pymongo import ReturnDocument, WriteConcern
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError, PyMongoError

from nestling.common.errors import LeaseLost, Problem
from nestling.executors.errors.transient import PATIENCE_SECONDS, is_transient
from nestling.ir.codec import CODEC

RENEWALS = 3
"""How often a lease is renewed in its time."""
LIVE: Mapping[str, Any] = {"$gt": [{"$ifNull": ["$expires", None]}, "$$NOW"]}
"""Whether a lease's document says that somebody has it."""


class Lease:
    """The lease of `what` (as named in messages) in the document `identity` of a collection.

    `lost` is called by the renewing thread if another process has the lease.
    """

    def __init__(
        self,
        database: Database[Any],
        collection: str,
        identity: str,
        what: str,
        *,
        seconds: float,
        lost: Callable[[], None] = lambda: None,
    ) -> None:
        concern = WriteConcern(w="majority", j=True)
        self._collection = database.get_collection(collection, codec_options=CODEC, write_concern=concern)
        self._identity, self._what, self._seconds = identity, what, seconds
        self._owner = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._lost, self._over = Event(), Event()
        self._tell_lost = lost
        self._until = 0.0
        self._seen: Mapping[str, Any] = {}
        self._seen_at = 0.0
        self._thread = Thread(target=self._renew, name="lease", daemon=True)
        self.epoch = 0

    def taken(self) -> Mapping[str, Any] | None:
        """Take the lease, once or again, and return the document with it; None while another process has it."""
        asked = monotonic()
        free = {
            "_id": self._identity,
            "$or": [{"owner": self._owner}, {"$expr": {"$not": [LIVE]}}, *self._not_renewed()],
        }
        mine: dict[str, Any] = {
            "owner": self._owner,
            "epoch": {"$add": [{"$ifNull": ["$epoch", 0]}, 1]},
            "expires": self._expiry(),
            "seconds": self._seconds,
        }
        with suppress(DuplicateKeyError):
            self._collection.insert_one({"_id": self._identity, "epoch": 0})
        found: Mapping[str, Any] | None = self._collection.find_one_and_update(
            free, [{"$set": mine}], return_document=ReturnDocument.AFTER
        )
        if found is None:
            self._look()
            return None
        self.epoch, self._until = found["epoch"], asked + self._seconds
        return found

    @property
    def other_seconds(self) -> float:
        """The duration of the other process's lease unless it is renewed."""
        seconds: float = self._seen.get("seconds", self._seconds)
        return seconds

    def _look(self) -> None:
        """Record the other process's lease, and since when it has not changed."""
        seen = (
            self._collection.find_one({"_id": self._identity}, {"_id": 0, "epoch": 1, "expires": 1, "seconds": 1}) or {}
        )
        if seen != self._seen:
            self._seen, self._seen_at = seen, monotonic()

    def _not_renewed(self) -> list[Mapping[str, Any]]:
        """The lease's content if it has not changed for its duration."""
        is_old = monotonic() - self._seen_at > self.other_seconds
        return [self._seen] if self._seen and is_old else []

    def keep(self) -> None:
        """Renew it from now on, until it is released."""
        self._thread.start()

    def held(self) -> None:
        """Return while the lease is certainly held, wait if this is uncertain, and raise `LeaseLost` if it is lost."""
        end = monotonic() + PATIENCE_SECONDS
        while monotonic() >= self._until - self._seconds / (2 * RENEWALS) and not self._lost.is_set():
            if monotonic() > end:
                what = f"the lease of {self._what} could not be renewed for {PATIENCE_SECONDS:g} s"
                raise LeaseLost(Problem(what, where=self._collection.name))
            if self._over.wait(0.05):
                break
        if self._lost.is_set():
            raise self._taken_over()

    def change(self, update: Any) -> None:
        """Update the document; raises `LeaseLost` when somebody else has it."""
        mine = {"_id": self._identity, "owner": self._owner, "epoch": self.epoch}
        if not self._collection.update_one(mine, update).matched_count:
            self._lost.set()
            raise self._taken_over()

    def release(self) -> None:
        """Let the next one have it at once."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()  # a renewal on its way would prolong what is given up
        if not self._lost.is_set():
            self.change([{"$set": {"expires": "$$NOW"}}])

    def _taken_over(self) -> LeaseLost:
        return LeaseLost(Problem(f"another process has taken over {self._what}", where=self._collection.name))

    def _expiry(self) -> dict[str, Any]:
        return {"$add": ["$$NOW", round(self._seconds * 1000)]}

    def _renew(self) -> None:
        """The thread: renews until the end, and reports if another process has the lease."""
        while not self._over.wait(self._seconds / RENEWALS / 2):
            asked = monotonic()
            try:
                self.change([{"$set": {"expires": self._expiry()}}])
                self._until = asked + self._seconds
            except LeaseLost:
                break
            except PyMongoError as error:
                if not is_transient(error):
                    self._lost.set()
                    break
        if self._lost.is_set():
            self._tell_lost()
