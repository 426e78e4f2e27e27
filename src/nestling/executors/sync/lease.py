"""One active instance per design, and its position: lease and resume point, in a separate document in `_nestling_sync`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bson.timestamp import Timestamp
from pymongo.database import Database

from nestling.common.errors import Problem, SyncError
from nestling.executors.changes import HistoryPoint
from nestling.executors.lease import LIVE, Lease
from nestling.ir.storage.names import OWN_COLLECTIONS

COLLECTION = f"{OWN_COLLECTIONS}sync"


@dataclass(frozen=True, slots=True)
class SyncState:
    """The state of a design's sync in the database: the lease's owner and whether it is live, and the resume point.

    `behind_seconds`: the resume point's age by the server's clock; in an idle database it stays within seconds. `unrepaired`: the
    upkeeps some of whose copies could not be repaired, or were left because their source is gone.
    """

    owner: str | None
    live: bool
    design: str
    time: Timestamp | None
    behind_seconds: float | None
    computed: Mapping[str, datetime]
    unrepaired: tuple[str, ...]


def standing(database: Database[Any], name: str) -> SyncState | None:
    """The state of a design's sync, None if there has never been one. Writes nothing."""
    found = next(
        iter(database[COLLECTION].aggregate([{"$match": {"_id": name}}, {"$set": {"live": LIVE, "now": "$$NOW"}}])),
        None,
    )
    if found is None:
        return None
    point = found.get("point") or {}
    time: Timestamp | None = point.get("time")
    now = found["now"].replace(tzinfo=UTC).timestamp()
    behind = max(now - time.time, 0.0) if time is not None else None
    left = tuple(found.get("unrepaired", ()))
    return SyncState(found.get("owner"), found["live"], found.get("design", ""), time, behind, _computed(found), left)


def _computed(found: Mapping[str, Any]) -> dict[str, datetime]:
    return {each["upkeep"]: each["at"] for each in found.get("computed", ())}


class SyncLease(Lease):
    """The lease of a design's sync, with the resume point, when scheduled values were last computed, and what is not repaired."""

    def __init__(
        self, database: Database[Any], name: str, design: str, seconds: float, lost: Callable[[], None]
    ) -> None:
        super().__init__(database, COLLECTION, name, f"`{name}`", seconds=seconds, lost=lost)
        self._name, self._design = name, design
        self.point: HistoryPoint | None = None
        self.computed: dict[str, datetime] = {}
        self.unrepaired = Counter[str]()

    def take(self, *, anew: bool) -> bool:
        """Take it if nobody has it. Raises `SyncError` if the resume point belongs to another design, unless `anew`."""
        found = self.taken()
        if found is None:
            return False
        if anew:
            self.change([{"$set": {"design": self._design}}, {"$unset": ["point", "computed", "unrepaired"]}])
        else:
            self._adopt(found)
        self.keep()
        return True

    def _adopt(self, found: Mapping[str, Any]) -> None:
        if found.get("design") not in (None, self._design):
            self.release()
            what = f"the resume point of `{self._name}` belongs to another version of the design"
            move = (
                "stop whatever still runs the other version, then start with --restart, which compares everything once"
            )
            raise SyncError(Problem(what, where=COLLECTION, next_move=move))
        if found.get("design") is None:
            self.change([{"$set": {"design": self._design}}])
        if point := found.get("point"):
            self.point = HistoryPoint.of(point)
        self.computed = _computed(found)
        self.unrepaired = Counter(found.get("unrepaired", ()))

    def save(self, point: HistoryPoint, computed: Mapping[str, datetime], unrepaired: Collection[str]) -> None:
        """Record that everything up to the point has had its effect, but for copies of the upkeeps `unrepaired`."""
        times = [{"upkeep": name, "at": at} for name, at in sorted(computed.items())]
        self.change({"$set": {"point": point.document(), "computed": times, "unrepaired": sorted(unrepaired)}})

    def forget(self) -> None:
        """The resume point is of no use any more."""
        self.change({"$unset": {"point": ""}})
