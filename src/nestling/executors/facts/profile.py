"""The statements in `system.profile`, as shapes with sums and without values."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from pymongo.database import Database

from nestling.executors.facts.permitted import Asking, FoundDocument
from nestling.ir.capture import Capture, CaptureKind
from nestling.ir.capture.entries import OWN_APPLICATION, counted

ENTRIES = 20_000
"""The newest entries that are read."""
_SHOWN = (
    *(
        "op",
        "ns",
        "command",
        "query",
        "docsExamined",
        "nscannedObjects",
        "keysExamined",
        "nscanned",
        "nreturned",
        "millis",
    ),
    *(
        "planSummary",
        "nModified",
        "nUpserted",
        "ndeleted",
        "ninserted",
        "ts",
        "client",
        "appName",
        "originatingCommand",
    ),
)


TimedEntries = list[tuple[datetime | None, FoundDocument]]


def captured(database: Database[FoundDocument], asking: Asking) -> Capture:
    """The statements that a database's profiler has recorded, without those of nestling itself."""
    return of_entries(noted_entries(database, asking))


def of_entries(entries: TimedEntries) -> Capture:
    """The profiler's entries as a capture."""
    return counted(CaptureKind.PROFILER, reversed(entries))


def noted_entries(database: Database[FoundDocument], asking: Asking) -> TimedEntries:
    """The entries of a database's profiler with their times, the newest first."""
    limit = asking.milliseconds()
    what = f"{database.name}.system.profile"
    return asking.ask(what, lambda: list(_entries(database, limit)), [])


def _entries(database: Database[FoundDocument], limit: int) -> Iterator[tuple[datetime | None, FoundDocument]]:
    wanted = {"appName": {"$ne": OWN_APPLICATION}, "ns": {"$regex": "^", "$not": {"$regex": r"\.system\."}}}
    shown = dict.fromkeys(_SHOWN, 1)
    newest = database["system.profile"].find(wanted, shown).sort("$natural", -1).limit(ENTRIES).max_time_ms(limit)
    for entry in newest:
        time = entry.get("ts")
        yield time if isinstance(time, datetime) else None, entry
