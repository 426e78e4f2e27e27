"""One active instance per design, and where it stands: a document of its own in `_nestling_sync`.

Who holds the lease renews it by the server's clock. A renewal or a resume point is only written under the epoch it was taken
with: whoever has been replaced cannot move the resume point, and stops as soon as it notices. Between two renewals an instance
trusts its own monotonic clock, and does nothing more once the lease may have run out.
"""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Event, Thread
from time import monotonic
from typing import Any

from bson.timestamp import Timestamp
from pymongo import ReturnDocument, WriteConcern
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError, PyMongoError

from nestling.common.errors import LeaseLost, Problem, SyncError
from nestling.executors.changes import Point
from nestling.executors.transient import is_transient
from nestling.ir.values import CODEC

COLLECTION = "_nestling_sync"
RENEWALS = 3
"""How often a lease is renewed in its time."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What the database knows of a design's sync: who has the lease and whether it is live, and the resume point.

    `behind_seconds` is the resume point's age by the server's clock; an idle database's grows by seconds only.
    """

    owner: str | None
    live: bool
    design: str
    time: Timestamp | None
    behind_seconds: float | None
    computed: Mapping[str, datetime]


def standing(database: Database[Any], name: str) -> Standing | None:
    """How a design's sync stands, None when there has never been one. Writes nothing."""
    found = next(
        iter(database[COLLECTION].aggregate([{"$match": {"_id": name}}, {"$set": {"live": _LIVE, "now": "$$NOW"}}])),
        None,
    )
    if found is None:
        return None
    point = found.get("point") or {}
    time: Timestamp | None = point.get("time")
    now = found["now"].replace(tzinfo=UTC).timestamp()
    behind = max(now - time.time, 0.0) if time is not None else None
    return Standing(found.get("owner"), found["live"], found.get("design", ""), time, behind, _computed(found))


_LIVE: dict[str, Any] = {"$gt": [{"$ifNull": ["$expires", None]}, "$$NOW"]}


def _computed(found: Mapping[str, Any]) -> dict[str, datetime]:
    return {each["upkeep"]: each["at"] for each in found.get("computed", ())}


class Lease:
    """A lease that is held, the resume point with it."""

    def __init__(
        self, database: Database[Any], name: str, design: str, seconds: float, lost: Callable[[], None]
    ) -> None:
        concern = WriteConcern(w="majority", j=True)
        self._collection = database.get_collection(COLLECTION, codec_options=CODEC, write_concern=concern)
        self._name, self._design, self._seconds = name, design, seconds
        self._owner = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._lost, self._over = Event(), Event()
        self._tell_lost = lost
        self._until = 0.0
        self.epoch = 0
        self.point: Point | None = None
        self.computed: dict[str, datetime] = {}

    def take(self, *, anew: bool) -> bool:
        """Take it if nobody has it. Raises `SyncError` when the resume point is another design's, unless `anew`."""
        asked = monotonic()
        free = {"_id": self._name, "$or": [{"owner": self._owner}, {"$expr": {"$not": [_LIVE]}}]}
        taken: dict[str, Any] = {
            "owner": self._owner,
            "epoch": {"$add": [{"$ifNull": ["$epoch", 0]}, 1]},
            "expires": self._expiry(),
        }
        with suppress(DuplicateKeyError):
            self._collection.insert_one({"_id": self._name, "epoch": 0})
        found = self._collection.find_one_and_update(free, [{"$set": taken}], return_document=ReturnDocument.AFTER)
        if found is None:
            return False
        self.epoch, self._until = found["epoch"], asked + self._seconds
        if anew:
            self._update([{"$set": {"design": self._design}}, {"$unset": ["point", "computed"]}])
        else:
            self._adopt(found)
        Thread(target=self._renew, name="lease", daemon=True).start()
        return True

    def _adopt(self, found: Mapping[str, Any]) -> None:
        if found.get("design") not in (None, self._design):
            self._update([{"$set": {"expires": "$$NOW"}}])
            what = f"the resume point of `{self._name}` belongs to another version of the design"
            move = "stop what still runs the other version; then start with --restart: everything is compared once"
            raise SyncError(Problem(what, where=COLLECTION, next_move=move))
        if found.get("design") is None:
            self._update([{"$set": {"design": self._design}}])
        if point := found.get("point"):
            self.point = Point(point["token"], point["time"])
        self.computed = _computed(found)

    def held(self) -> None:
        """Return while the lease is held for certain; wait when that is not sure; raise `LeaseLost` when it is not."""
        while monotonic() >= self._until - self._seconds / (2 * RENEWALS) and not self._lost.is_set():
            if self._over.wait(0.05):
                break
        if self._lost.is_set():
            raise LeaseLost(Problem(f"another instance has taken over `{self._name}`", where=COLLECTION))

    def save(self, point: Point, computed: Mapping[str, datetime]) -> None:
        """Everything up to the point has had its effect."""
        times = [{"upkeep": name, "at": at} for name, at in sorted(computed.items())]
        self._update({"$set": {"point": {"token": dict(point.token), "time": point.time}, "computed": times}})

    def forget(self) -> None:
        """The resume point is of no use any more."""
        self._update({"$unset": {"point": ""}})

    def release(self) -> None:
        """Let the next one have it at once."""
        self._over.set()
        if not self._lost.is_set():
            self._update([{"$set": {"expires": "$$NOW"}}])

    def _update(self, change: Any) -> None:
        mine = {"_id": self._name, "owner": self._owner, "epoch": self.epoch}
        if not self._collection.update_one(mine, change).matched_count:
            self._lost.set()
            raise LeaseLost(Problem(f"another instance has taken over `{self._name}`", where=COLLECTION))

    def _expiry(self) -> dict[str, Any]:
        return {"$add": ["$$NOW", round(self._seconds * 1000)]}

    def _renew(self) -> None:
        """The thread: renews until it is over, and tells when somebody else has it."""
        while not self._over.wait(self._seconds / RENEWALS / 2):
            asked = monotonic()
            try:
                self._update([{"$set": {"expires": self._expiry()}}])
                self._until = asked + self._seconds
            except LeaseLost:
                break
            except PyMongoError as error:
                if not is_transient(error):
                    self._lost.set()
                    break
        if self._lost.is_set():
            self._tell_lost()
