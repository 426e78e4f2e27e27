"""Keeping copies right in the background: changes in, upkeep out, by one active instance of a design.

`syncing` takes the lease, which holds the resume point and sees to it that one instance works, and while it is held `following`
takes changes, finds whose documents hold what follows from them (`affected`), and has these mended (`refresh`): what is implied
is read from the homes, and written where it differs and only over what was found. So whatever is done twice, late or in another
order ends the same.
"""

from nestling.executors.sync.lease import SyncState, standing
from nestling.executors.sync.metrics import Metrics, prometheus, status_written
from nestling.executors.sync.run import SyncOptions
from nestling.executors.sync.serve import served
from nestling.executors.sync.syncing import SyncReport, sync

__all__ = [
    "Metrics",
    "SyncOptions",
    "SyncReport",
    "SyncState",
    "prometheus",
    "served",
    "standing",
    "status_written",
    "sync",
]
