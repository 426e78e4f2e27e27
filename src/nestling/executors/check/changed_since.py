"""Which documents have changed since a time: what the server's own history of changes says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeAlias

from bson.timestamp import Timestamp
from pymongo.database import Database

from nestling.common.connection import address, typed_errors
from nestling.common.errors import InputError, Problem
from nestling.executors.changes import Watching, follow
from nestling.executors.check.differing_rows import collections_in
from nestling.ir.drift import CompiledCheck

MOST_IDS = 100_000
"""Of so many changed documents of a collection the ids are remembered; of more, all of them are looked at."""
Changed: TypeAlias = Mapping[str, tuple[object, ...] | None]
"""The ids of the documents that changed in a collection, None: any may have."""
_BATCH = 2_000


def changed_since(database: Database[Any], collections: Sequence[str], since: datetime) -> Changed:
    """The documents that changed since a time (naive: UTC), deleted ones included.

    Raises `NoChangeStreams` on a standalone server, `HistoryLost` if the server's history does not reach back so far, and
    `InputError` for a time in the future.
    """
    exact = since if since.tzinfo is not None else since.replace(tzinfo=UTC)
    with typed_errors(address(database)):
        clock = database.client.admin.command("hello")["localTime"].replace(tzinfo=UTC)
    if exact > clock:
        asked, there = (f"{each.astimezone(UTC):%Y-%m-%d %H:%M:%S}" for each in (exact, clock))
        what = f"{asked} UTC is in the future: the server's clock says {there}"
        raise InputError(Problem(what, next_move="give a time in the past; times without a time zone are UTC"))
    found: dict[str, dict[str, object] | None] = {}
    with (
        typed_errors(address(database)),
        follow(database, Watching(tuple(collections)), at=Timestamp(int(exact.timestamp()), 0)) as stream,
    ):
        until = database.client.admin.command("hello")["operationTime"]
        while stream.point.time is None or stream.point.time < until:
            for change in stream.take(_BATCH, 0.5).changes:
                ids = found.setdefault(change.collection, {})
                if ids is not None:
                    ids[repr(change.id)] = change.id
                    if not change.kind.of_document or len(ids) > MOST_IDS:
                        found[change.collection] = None
    return {name: None if ids is None else tuple(ids.values()) for name, ids in found.items()}


def checks_touched(compiled: Sequence[CompiledCheck], changed: Changed) -> dict[str, tuple[object, ...] | None]:
    """The checks whose values may differ by these changes, by key, with the documents to look at.

    Where only documents that hold values changed, these; where a source did, all: which documents follow from a row that is gone,
    or refers elsewhere now, nobody can tell any more.
    """
    found: dict[str, tuple[object, ...] | None] = {}
    for each in compiled:
        if any(source in changed for source in collections_in(each.read.pipeline)):
            found[each.check.key] = None
        elif each.check.collection in changed:
            found[each.check.key] = changed[each.check.collection] if each.check.is_walked else None
    return found
