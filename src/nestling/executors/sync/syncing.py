"""A run from the lease to its release: take it, or stand by until it is free, and follow changes while it is held."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from threading import Event
from typing import Any

from pymongo.database import Database
from pymongo.errors import PyMongoError

from nestling.common.connection import address, typed_errors
from nestling.common.errors import LeaseLost, Problem, SyncError
from nestling.executors.changes import keep_images
from nestling.executors.sync.following import Following
from nestling.executors.sync.lease import SyncLease
from nestling.executors.sync.metrics import Metrics
from nestling.executors.sync.run import Say, SyncOptions, SyncRun
from nestling.ir.programs.route import SyncPlan

STANDBY_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a run did, and whether everything it had to repair is repaired.

    `left`: changes and refreshes that it knew of and had not done when it was stopped; the next run does them. `sourceless`:
    copies that it left as they are, because their source is gone.
    """

    changes: int
    written: int
    refused: int
    retries: int
    full_refreshes: int
    left: int = 0
    sourceless: int = 0

    @property
    def clean(self) -> bool:
        """Whether nothing was left wrong."""
        return self.refused == 0 and self.left == 0 and self.sourceless == 0


def sync(
    database: Database[Any],
    plan: SyncPlan,
    options: SyncOptions | None = None,
    *,
    stop: Event | None = None,
    metrics: Metrics | None = None,
    say: Say | None = None,
) -> SyncReport:
    """Keep what the plan names right until `stop` is set (or, with `once`, until it is).

    Raises `NoChangeStreams`, `SyncError`, `LeaseLost`, `PermissionDenied`, `DiskFull`, or the driver's error that does not pass.
    """
    with typed_errors(address(database)):
        return _synced(database, plan, options, stop, metrics, say)


def _synced(
    database: Database[Any],
    plan: SyncPlan,
    options: SyncOptions | None,
    stop: Event | None,
    metrics: Metrics | None,
    say: Say | None,
) -> SyncReport:
    run = SyncRun(
        database, plan, options or SyncOptions(), stop or Event(), metrics or Metrics(), say or (lambda _: None)
    )
    if not plan.kept:
        run.say("The design has no copies and no computed values: there is nothing to do.")
        return SyncReport(0, 0, 0, 0, 0)
    lease = SyncLease(database, plan.name, plan.fingerprint, run.options.lease_seconds, run.stop.set)
    left = 0
    if _taken(run, lease):
        try:
            left = _active(run, lease)
        finally:
            with suppress(PyMongoError, LeaseLost):
                lease.release()
    run.metrics.set("active", 0)
    run.metrics.say(state="stopped")
    counted = run.metrics.counted
    return SyncReport(
        counted("changes"),
        counted("written"),
        counted("refused"),
        counted("retries"),
        counted("full_refreshes"),
        left,
        counted("sourceless"),
    )


def _taken(run: SyncRun, lease: SyncLease) -> bool:
    """Take the lease; wait for it when another has it."""
    told = False
    while not run.stop.is_set():
        if run.retried(lambda: lease.take(anew=run.options.restart)):
            return True
        if not run.options.wait:
            what = f"another instance already keeps {_kept(run)} up to date"
            raise SyncError(Problem(what, next_move="let it run, or start this one without --no-wait to stand by"))
        if not told:
            run.say(
                f"Another instance keeps {_kept(run)} up to date. Standing by: this one takes over when that one stops, or "
                f"has not been heard from for {lease.other_seconds:g} s."
            )
            run.metrics.say(state="standing by")
            told = True
        run.stop.wait(STANDBY_SECONDS)
    return False


def _kept(run: SyncRun) -> str:
    """The database, and the model, which an instance has the lease of, where it has another name."""
    name = run.database.name
    return f"the database `{name}`" + (f" (model `{run.plan.name}`)" if run.plan.name != name else "")


def _active(run: SyncRun, lease: SyncLease) -> int:
    """Follow until it is stopped; gives how much was left undone."""
    if run.options.once:
        lease.computed.clear()
    run.metrics.set("active", 1)
    run.metrics.set("epoch", lease.epoch)
    if run.options.images:
        for name in keep_images(run.database, run.plan.imaged):
            run.say(f"From now on, the server keeps pre-images of changed documents of `{name}`.")
    following = Following(run, lease)
    try:
        following.go()
    finally:
        run.stop.set()
        following.close()
    return following.left
