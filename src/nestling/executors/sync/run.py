"""What every part of one run of a sync has in common, and its patience with errors that pass."""

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

    `once`: end when everything written before the start has had its effects, scheduled values computed. `wait`: stand by while
    another instance is active; else that is an error. `restart`: forget the resume point, compare everything. `images`: have the
    server keep documents before changes where that makes following precise. `remove`: take away copies of rows and collections
    that are not there any more, which may be the last there is of them.
    """

    once: bool = False
    wait: bool = True
    restart: bool = False
    images: bool = False
    remove: bool = False
    lease_seconds: float = 15.0


@dataclass(frozen=True, slots=True)
class SyncRun:
    """One run of one instance: `stop` ends it, `metrics` and `say` tell of it."""

    database: Database[Any]
    plan: SyncPlan
    options: SyncOptions
    stop: Event
    metrics: Metrics
    say: Say

    def retried(self, work: Callable[[], Answer]) -> Answer:
        """Do it, and again after errors that may pass, for as long as the patience lasts. All work is such that twice is once."""
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
