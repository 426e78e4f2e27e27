"""Entries of the profiler and of the server's log of slow operations, counted: both say the same under nearly the same names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from nestling.ir.capture.capture import Capture, CaptureKind
from nestling.ir.capture.shape import CommandOperation, CommandShape, is_own, operation_of, shape
from nestling.ir.capture.tally import Sums, Tally, list_values
from nestling.ir.facts.statement import LastSeen
from nestling.ir.storage.names import is_system

OWN_APPLICATION = "nestling"
"""The application name of nestling itself, whose statements are nobody's workload."""
_BY_KIND = {
    "insert": CommandOperation.INSERT,
    "update": CommandOperation.UPDATE,
    "remove": CommandOperation.DELETE,
    "delete": CommandOperation.DELETE,
}

Entry = Mapping[str, Any]


def counted(kind: CaptureKind, entries: Iterable[tuple[datetime | None, Entry]]) -> Capture:
    """Entries with their times, oldest first, as a capture."""
    tally = Tally(kind)
    first = last = None
    for time, entry in entries:
        first, last = first or time, time or last
        _count(tally, time, entry)
    window = (last - first).total_seconds() if first is not None and last is not None else 0.0
    return tally.capture(window)


def command_of(entry: Entry) -> Mapping[str, Any]:
    """The command of an entry; empty if it is not an application's."""
    found = entry.get("command") or entry.get("query") or {}
    if not isinstance(found, Mapping) or entry.get("appName") == OWN_APPLICATION:
        return {}
    begun = entry.get("originatingCommand")
    return {} if is_own(found) or (isinstance(begun, Mapping) and is_own(begun)) else found


def shape_of(entry: Entry) -> CommandShape | None:
    """The shape of an entry's own command; None for those that touch no documents of applications, or were cut."""
    command = command_of(entry)
    is_whole = command and "$truncated" not in command and not isinstance(entry.get("originatingCommand"), Mapping)
    return _shape(entry, command) if is_whole else None


def _count(tally: Tally, time: datetime | None, entry: Entry) -> None:
    command = command_of(entry)
    if not command:
        return
    if "$truncated" in command:
        tally.skip("statements truncated by the server", "they are too long for its profiler or log")
        return
    begun = entry.get("originatingCommand")
    if isinstance(begun, Mapping):  # the next batch of an answer
        if (found := _shape(entry, begun)) is not None:
            tally.add(found, replace(_sums(entry, begun), listed=0), count=0)
        return
    found = _shape(entry, command)
    if found is None:
        return
    sums = _sums(entry, command)
    tally.add(found, sums)
    if time is not None:
        tally.see(found, _last(time, sums, entry))
    if found.operation.reads and time is not None:
        asked = command.get("filter") or command.get("query")
        tally.follower.watch(_client(entry), time.timestamp(), found, asked, sums.returned)


def _last(time: datetime, sums: Sums, entry: Entry) -> LastSeen:
    moment = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    returned = sums.returned + sums.written
    return LastSeen(moment.isoformat(), sums.documents_examined, returned, str(entry.get("planSummary", "")))


def _client(entry: Entry) -> object:
    return str(entry.get("remote") or entry.get("client", "")), str(entry.get("appName", ""))


def _shape(entry: Entry, command: Mapping[str, Any]) -> CommandShape | None:
    """The shape of an entry; None for commands that touch no documents of applications."""
    database, _, collection = str(entry.get("ns", "")).partition(".")
    kind = str(entry.get("op") or entry.get("type", ""))
    operation = _BY_KIND.get(kind) or operation_of(command)
    if operation is None or not collection or collection.startswith("$cmd") or is_system(collection):
        return None
    return shape(database, collection, operation, command)


def _sums(entry: Entry, command: Mapping[str, Any]) -> Sums:
    def number(*names: str) -> int:
        found = next((entry[name] for name in names if name in entry), 0)
        return int(found) if isinstance(found, int | float) else 0

    written = number("ninserted") + number("nModified") + number("ndeleted") + number("nUpserted")
    return Sums(
        seconds=number("millis", "durationMillis") / 1000,
        documents_examined=number("docsExamined", "nscannedObjects"),
        keys_examined=number("keysExamined", "nscanned"),
        returned=number("nreturned"),
        written=written,
        listed=list_values(command),
        collection_scans=int("COLLSCAN" in str(entry.get("planSummary", ""))),
    )
