"""Changes that others make to a database, as they happen: one change stream over some of its collections.

::

    with follow(database, Watching(("orders", "customers"))) as stream:
        batch = stream.take(500, wait_seconds=0.5)      # changes in order, and the point after them
        ...                                             # handle the changes
        save(batch.point)                               # a later `follow(…, after=point)` continues there

`Watching` says which collections, and whether documents come with the changes. Errors are `ChangesError`s: `NoChangeStreams` on
a standalone server, `HistoryLost` if the server no longer has the changes after the point.
"""

from nestling.executors.changes.change import ChangeEvent, EventKind, HistoryPoint
from nestling.executors.changes.images import keep_images, without_images
from nestling.executors.changes.pipeline import IMAGES_SINCE, Watching
from nestling.executors.changes.stream import READ_AHEAD, ChangeBatch, ChangeStream, follow

__all__ = [
    "IMAGES_SINCE",
    "READ_AHEAD",
    "ChangeBatch",
    "ChangeEvent",
    "ChangeStream",
    "EventKind",
    "HistoryPoint",
    "Watching",
    "follow",
    "keep_images",
    "without_images",
]
