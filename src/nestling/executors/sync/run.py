"""What all parts of a sync's run share, and its retries after transient errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import Any, TypeVar

from pymongo.database import Database
from pymongo.errors import PyMongoError

from nestling.common.errors import ReadError
from nestling.executors.errors.transient import Patience
from nestling.executors.sync.metrics import Metrics
from nestling.ir.programs.route import SyncPlan

Answer = TypeVar("Answer")
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """How to run.

    `once`: end when everything written before the start has been handled and scheduled values are computed. `wait`: stand by
    while another instance is active; otherwise that is an error. `restart`: forget the resume point, compare everything.
    `images`: make the server keep pre-images where that makes following precise. `remove`: remove copies of rows and
    collections that are gone, although these may be all that remains of them.
    """

    once: bool = False
    wait: bool = True
    restart: bool = False
    images: bool = False
    remove: bool = False
    lease_seconds: float = 15.0


@dataclass(frozen=True, slots=True)
class SyncRun:
    """One run of one instance: `stop` ends it, `metrics` and `say` report on it."""

    database: Database[Any]
    plan: SyncPlan
    options: SyncOptions
    stop: Event
    metrics: Metrics
    say: Say

    def retried(self, work: Callable[[], Answer]) -> Answer:
        """Run the work, and repeat it after transient errors while patience lasts. All work is repeatable."""
        patience = Patience()
        while True:
            try:
                return work()
            except (PyMongoError, ReadError) as error:
                cause = error.__cause__ if isinstance(error, ReadError) else error
                if self.stop.is_set() or not isinstance(cause, PyMongoError) or not patience.allows(cause):
                    raise
                self.metrics.count("retries")
                self.stop.wait(patience.pause_seconds())
