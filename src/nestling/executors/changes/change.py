"""A change as a value: what happened to which document, when, and where a stream continues after it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bson.timestamp import Timestamp

from nestling.ir.codec import BsonDocument

_TOKEN = re.compile(r"82[0-9A-F]{16}")
"""Resume tokens are keys in hexadecimal: a timestamp, as its seconds and its number among those, comes first."""


class EventKind(StrEnum):
    """What happened; the server's words."""

    INSERT = "insert"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"
    DROP = "drop"
    RENAME = "rename"
    DROP_DATABASE = "dropDatabase"
    INVALIDATE = "invalidate"  # the stream ends here; the next one begins after it

    @property
    def of_document(self) -> bool:
        """Whether one document changed, and not a whole collection or database."""
        return self in (EventKind.INSERT, EventKind.UPDATE, EventKind.REPLACE, EventKind.DELETE)


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """A position in the history of changes: the server's resume token, and the cluster time of the change before it.

    `time` is None before the first change.
    """

    token: BsonDocument
    time: Timestamp | None = None

    def document(self) -> BsonDocument:
        """The point in the form in which it is stored in a database."""
        return {"token": dict(self.token), "time": self.time}

    @classmethod
    def of(cls, kept: BsonDocument) -> HistoryPoint:
        """The point that was kept."""
        return cls(kept["token"], kept["time"])


@dataclass(frozen=True, slots=True)
class ChangeEvent:
    """One change of a document, or of a whole collection (`id` is then None).

    `changed` are the dotted paths an update touched, array places among them (`items.3.quantity`); None when all of the document
    may have changed. `before` and `after` are whole documents where they were asked for and the server has them. `wall` is the
    server's clock in UTC. `to` is the new name of a renamed collection.
    """

    kind: EventKind
    collection: str
    id: object
    point: HistoryPoint
    wall: datetime | None = None
    changed: frozenset[str] | None = None
    before: BsonDocument | None = None
    after: BsonDocument | None = None
    to: str = ""


def point_of(token: BsonDocument) -> HistoryPoint:
    """The point that a resume token names without a change: the cluster's time is its first part."""
    data = token.get("_data")
    if not isinstance(data, str) or not _TOKEN.match(data):
        return HistoryPoint(token)
    return HistoryPoint(token, Timestamp(int(data[2:10], 16), int(data[10:18], 16)))


def change_of(event: BsonDocument) -> ChangeEvent:
    """A change as the stream's pipeline shapes its events."""
    kind = EventKind(event["operationType"])
    paths = event.get("changed")
    return ChangeEvent(
        kind,
        event.get("ns", {}).get("coll", ""),
        event.get("documentKey", {}).get("_id"),
        HistoryPoint(event["_id"], event.get("clusterTime")),
        event.get("wallTime"),
        frozenset(paths) if kind is EventKind.UPDATE and paths is not None else None,
        event.get("fullDocumentBeforeChange"),
        event.get("fullDocument"),
        event.get("to", {}).get("coll", ""),
    )
