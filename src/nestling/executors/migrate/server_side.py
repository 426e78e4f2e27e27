"""Collections the server builds by itself: one aggregation over an old home, its result the new documents."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from pymongo.database import Database
from pymongo.errors import OperationFailure

from nestling.common.connection import UNAUTHORIZED, disk_is_full
from nestling.common.errors import MigrationError, Problem
from nestling.executors.errors.codes import DUPLICATE_KEY, NOT_VALID
from nestling.executors.errors.read_errors import DOCUMENT_TOO_LARGE
from nestling.executors.load.empty import empty
from nestling.ir.programs.command import Aggregation

PAUSE_SECONDS = 0.2
EXCEEDED_MEMORY = 146


@dataclass(frozen=True, slots=True)
class Gathered:
    """Rows of an old home in a collection of their own, for as long as it is needed, perhaps with an index of a field."""

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
    """The server joins more for one document than it can hold, or a document is refused: the loader says which, or goes on."""


def build(database: Database[Any], side: ServerSide, mark: str) -> None:
    """Write the documents in place of whatever the collection holds, which keeps its validator.

    A row that moves between documents of the old design while they are read may be read twice: then the last one stays.

    Raises `MigrationError`, and `CannotBuild` for what the loader can do instead. `mark` tells this migration's work on the
    server: what an interrupted run may have left working there is ended first.
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
    """All documents or none; of those with the same `_id` one.

    Not by `$out`, which renames: while that waits for a transaction of somebody's to end, all the database waits for it.
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
    """End what an earlier run left on the server, and wait until it has."""
    admin = database.client.admin
    asked: list[dict[str, Any]] = [{"$currentOp": {"allUsers": False}}, {"$match": {"command.comment": mark}}]
    while running := [each["opid"] for each in admin.aggregate(asked)]:
        for operation in running:
            admin.command("killOp", op=operation)
        time.sleep(PAUSE_SECONDS)
