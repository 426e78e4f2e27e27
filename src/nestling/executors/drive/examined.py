"""What the server did for an execution, by its profiler: for reads, writes and every command of a transaction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pymongo.database import Database
from pymongo.errors import OperationFailure

from nestling.ir.proof import Examined

PROFILE = "system.profile"
PROFILE_BYTES = 64 * 1024 * 1024
_WRITTEN = ("ninserted", "nModified", "ndeleted")


class Profiled:
    """Reads the profiler's new records; nothing if the user may not switch it on."""

    def __init__(self, database: Database[Any], *, on: bool) -> None:
        self._database, self._on = database, on
        self._seen = 0

    def since(self) -> Examined | None:
        """The work of everything that the database was asked since the last call."""
        if not self._on:
            return None
        entries = list(self._database[PROFILE].find({}, {"command": 0, "originatingCommand": 0}).skip(self._seen))
        self._seen += len(entries)
        asked = [entry for entry in entries if not entry["ns"].endswith(PROFILE) and entry["op"] != "getmore"]
        more = [entry for entry in entries if entry["op"] == "getmore" and not entry["ns"].endswith(PROFILE)]
        return Examined(
            requests=len(asked) + len(more),
            keys=_sum([*asked, *more], ("keysExamined",)),
            documents=_sum([*asked, *more], ("docsExamined",)),
            documents_written=_sum(asked, _WRITTEN),
            keys_written=_sum(asked, ("keysInserted", "keysDeleted")),
        )


@contextmanager
def profiled_operations(database: Database[Any]) -> Iterator[Profiled]:
    """Have the server note every operation on one of our databases meanwhile."""
    on = False
    with suppress(OperationFailure):
        database.create_collection(PROFILE, capped=True, size=PROFILE_BYTES)
        database.command("profile", 2)
        on = True
    try:
        yield Profiled(database, on=on)
    finally:
        if on:
            database.command("profile", 0)
            database[PROFILE].drop()


def mean(each: list[Examined]) -> Examined | None:
    """The average of several executions; None if there are none."""
    if not each:
        return None
    size = len(each)
    return Examined(
        sum(one.requests for one in each) / size,
        sum(one.keys for one in each) / size,
        sum(one.documents for one in each) / size,
        sum(one.documents_written for one in each) / size,
        sum(one.keys_written for one in each) / size,
    )


def _sum(entries: list[dict[str, Any]], names: tuple[str, ...]) -> float:
    return float(sum(entry.get(name, 0) or 0 for entry in entries for name in names))
