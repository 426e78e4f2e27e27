"""Keeps copies right in the background: changes in, upkeep out, by one active instance of a design.

`syncing` takes the lease, which holds the resume point and ensures that only one instance works. Meanwhile `following` reads
changes, finds the documents that depend on them (`affected`), and has these repaired (`refresh`): the expected values are read
from the homes, and written where they differ, only over what was found. So repeated, late or reordered work has the same
result.
"""

from nestling.executors.sync.lease import SyncState, standing
from nestling.executors.sync.metrics import Metrics, status_written
from nestling.executors.sync.run import SyncOptions
from nestling.executors.sync.serve import served
from nestling.executors.sync.syncing import SyncReport, sync

__all__ = [
    "Metrics",
    "SyncOptions",
    "SyncReport",
    "SyncState",
    "served",
    "standing",
    "status_written",
    "sync",
]
