"""Collections the server builds by itself: one aggregation over an old home, its result the new documents."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from pymongo.database import Database
from pymongo.errors import OperationFailure

from nestling.common.connection import disk_is_full
from nestling.common.errors import MigrationError, Problem
from nestling.common.server_codes import DOCUMENT_TOO_LARGE, DUPLICATE_KEY, EXCEEDED_MEMORY, NOT_VALID, UNAUTHORIZED
from nestling.executors.load.empty import empty
from nestling.ir.programs.command import Aggregation

PAUSE_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Gathered:
    """Rows of an old home in a temporary collection, possibly with an index on a field."""

    collection: str
    query: Aggregation
    index: str | None = None


@dataclass(frozen=True, slots=True)
class ServerSide:
    """A collection of the new design and the aggregation whose results are its documents, made with the help of others."""

    collection: str
    query: Aggregation
    gathered: tuple[Gathered, ...] = ()


class CannotBuild(Exception):
    """The server exceeds a limit when joining for one document, or refuses one: the loader names it, or does the work."""


def build(database: Database[Any], side: ServerSide, mark: str) -> None:
    """Replace the collection's documents; it keeps its validator.

    A row that moves between documents of the old design during the read may be read twice: then the last one stays. Raises
    `MigrationError`, and `CannotBuild` if the loader can do it instead. `mark` identifies this migration's operations on the
    server: leftovers of an interrupted run are ended first.
    """
    _end(database, mark)
    try:
        for each in side.gathered:
            _put(database, each.query, each.collection, mark)
            if each.index is not None:
                database[each.collection].create_index(each.index, comment=mark)
        _put(database, side.query, side.collection, mark)
    finally:
        drop_gathered(database, side)


def drop_gathered(database: Database[Any], side: ServerSide) -> None:
    """Remove the collections that only helped."""
    for each in side.gathered:
        database.drop_collection(each.collection)


def _put(database: Database[Any], query: Aggregation, collection: str, mark: str) -> None:
    """Write all documents or none; one of those with the same `_id`.

    `$out` is not used because it renames: while it waits for another transaction to end, the whole database waits for it.
    """
    for when_matched in ("fail", "replace"):  # the second takes five times as long
        empty(database, collection)
        into = {"$merge": {"into": collection, "whenMatched": when_matched}}
        try:
            database[query.collection].aggregate([*query.stages, into], allowDiskUse=True, comment=mark).close()
            return
        except OperationFailure as error:
            if error.code != DUPLICATE_KEY or when_matched == "replace":
                empty(database, collection)
                raise _unbuilt(error, collection) from error


def _unbuilt(error: OperationFailure, collection: str) -> Exception:
    if error.code == UNAUTHORIZED or disk_is_full(error):
        return error
    if error.code in (EXCEEDED_MEMORY, NOT_VALID) or error.code in DOCUMENT_TOO_LARGE:
        return CannotBuild()
    said = (error.details or {}).get("errmsg", error)
    return MigrationError(Problem(f"the server cannot build it: {said}", where=collection))


def _end(database: Database[Any], mark: str) -> None:
    """End an earlier run's operations on the server, and wait until they have ended."""
    admin = database.client.admin
    asked: list[dict[str, Any]] = [{"$currentOp": {"allUsers": False}}, {"$match": {"command.comment": mark}}]
    while running := [each["opid"] for each in admin.aggregate(asked)]:
        for operation in running:
            admin.command("killOp", op=operation)
        time.sleep(PAUSE_SECONDS)
