"""The driver's errors about change streams, as ours."""

from __future__ import annotations

from pymongo.errors import OperationFailure, PyMongoError

from nestling.common.errors import ChangesError, HistoryLost, NoChangeStreams, Problem
from nestling.common.server_codes import (
    HISTORY_LOST,
    NO_CHANGE_STREAMS,
    NOT_RESUMABLE,
    OBJECT_TOO_LARGE,
    UNUSABLE_TOKEN,
)


def changes_error(error: PyMongoError, database: str) -> ChangesError | None:
    """Our error for the driver's, if it is about the stream itself."""
    if not isinstance(error, OperationFailure):
        return None
    where = f"database {database}"
    said = str((error.details or {}).get("errmsg") or error)
    if error.code == NO_CHANGE_STREAMS:
        return _standalone(where)
    if error.code in HISTORY_LOST or error.has_error_label(NOT_RESUMABLE):
        what = f"the server's history no longer reaches back to where the stream stopped: {said}"
        return HistoryLost(Problem(what, where=where, next_move="compare everything once, and continue from now"))
    if error.code in UNUSABLE_TOKEN:
        move = "compare everything once, and continue from now"
        return HistoryLost(Problem(f"the server cannot use the resume point: {said}", where=where, next_move=move))
    if error.code == OBJECT_TOO_LARGE:
        what = "a change to a document of more than 8 MiB is too large for the change stream; servers from 6.0.9 on split it"
        return HistoryLost(Problem(what, where=where, next_move="compare everything once, and continue from now"))
    return None


def _standalone(where: str) -> NoChangeStreams:
    move = (
        "make it a replica set of one: start mongod with --replSet rs0 (or replication.replSetName in its file), "
        "then run rs.initiate() once in mongosh; the data stays"
    )
    what = "the server is standalone, and only replica sets and sharded clusters have change streams"
    return NoChangeStreams(Problem(what, where=where, next_move=move))
