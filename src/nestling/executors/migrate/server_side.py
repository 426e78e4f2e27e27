"""Collections the server builds by itself: one aggregation over an old home, its result the new documents."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from pymongo.database import Database
from pymongo.errors import OperationFailure

from nestling.common.connection import UNAUTHORIZED
from nestling.common.errors import MigrationError, Problem
from nestling.ir.command import Aggregation

PAUSE_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class ServerSide:
    """A collection of the new design and the aggregation whose results are its documents."""

    collection: str
    query: Aggregation


def build(database: Database[Any], side: ServerSide, mark: str) -> None:
    """Write the documents in place of whatever the collection holds, which keeps its validator; all of them or none.

    `mark` tells this migration's work on the server: what an interrupted run may have left working there is ended first.
    """
    _end(database, mark)
    stages = [*side.query.stages, {"$out": side.collection}]
    try:
        database[side.query.collection].aggregate(stages, allowDiskUse=True, comment=mark).close()
    except OperationFailure as error:
        if error.code == UNAUTHORIZED:
            raise
        said = (error.details or {}).get("errmsg", error)
        raise MigrationError(Problem(f"the server cannot build it: {said}", where=side.collection)) from None


def _end(database: Database[Any], mark: str) -> None:
    """End what an earlier run left on the server, and wait until it has."""
    admin = database.client.admin
    asked: list[dict[str, Any]] = [{"$currentOp": {"allUsers": False}}, {"$match": {"command.comment": mark}}]
    while running := [each["opid"] for each in admin.aggregate(asked)]:
        for operation in running:
            admin.command("killOp", op=operation)
        time.sleep(PAUSE_SECONDS)
