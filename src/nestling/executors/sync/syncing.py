"""The loop: changes are taken, what follows from them is mended, and the resume point moves on behind."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import Any, TypeVar

from bson.timestamp import Timestamp
from pymongo.database import Database
from pymongo.errors import PyMongoError

from nestling.common.errors import HistoryLost, Problem, ReadError, SyncError
from nestling.executors.changes import Change, Point, Stream, Watching, follow, keep_images, without_images
from nestling.executors.changes.stream import AWAIT_MILLISECONDS
from nestling.executors.sync.affected import Affected, Holders
from nestling.executors.sync.asking import View
from nestling.executors.sync.lease import Lease
from nestling.executors.sync.metrics import Metrics
from nestling.executors.sync.narrowed import Distinct
from nestling.executors.sync.refresh import Refresh
from nestling.executors.sync.schedule import due, is_scheduled, now
from nestling.executors.sync.side import Side, Task
from nestling.executors.transient import is_transient
from nestling.ir.route import Kept, SyncPlan

CHANGES_AT_ONCE = 1_000
INLINE_HOLDERS = 10_000
"""Documents found for one batch and upkeep that are mended before the next batch; more are mended on the side."""
SHARED_FROM = 20
"""From so many documents on, a transaction that writes what they share is quicker than comparing each (not measured closely)."""
TAKE_SECONDS = 0.25
ONCE_AWAIT_MILLISECONDS = 20
SAVE_SECONDS = 0.5
STANDBY_SECONDS = 0.5
PATIENCE_SECONDS = 120.0
LONGEST_PAUSE_SECONDS = 2.0

Answer = TypeVar("Answer")
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """How to run.

    `once`: end when everything written before the start has had its effects, scheduled values computed. `wait`: stand by while
    another instance is active; else that is an error. `restart`: forget the resume point, compare everything. `images`: have the
    server keep documents before changes where that makes following precise.
    """

    once: bool = False
    wait: bool = True
    restart: bool = False
    images: bool = False
    lease_seconds: float = 15.0


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a run did, and whether everything it had to mend is mended."""

    changes: int
    written: int
    refused: int
    retries: int
    full_refreshes: int

    @property
    def clean(self) -> bool:
        """Whether nothing was left wrong."""
        return self.refused == 0


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

    Raises `NoChangeStreams`, `SyncError` (`LeaseLost`), `PermissionDenied`, or the driver's error when it does not pass.
    """
    run = _Run(database, plan, options or SyncOptions(), stop or Event(), metrics or Metrics(), say or (lambda _: None))
    return run.whole()


class _Run:
    """One run of one instance."""

    def __init__(
        self, database: Database[Any], plan: SyncPlan, options: SyncOptions, stop: Event, metrics: Metrics, say: Say
    ) -> None:
        self._database, self._plan, self._options = database, plan, options
        self._stop, self._metrics, self._say = stop, metrics, say
        self._kept = {each.id: each for each in plan.kept}
        self._affected = Affected(plan)
        self._batches: list[tuple[int, Point]] = []
        self._number = 0
        self._saved = 0.0
        self._seen: Timestamp | None = None

    # --- from the lease to its release ---------------------------------------------------------------------------------

    def whole(self) -> SyncReport:
        """Everything; the lease is let go however it ends."""
        self._refuse_elsewhere()
        if not self._plan.kept:
            self._say("The design keeps nothing that follows from something else: there is nothing to do.")
            return SyncReport(0, 0, 0, 0, 0)
        name, print_ = self._plan.name, self._plan.fingerprint
        lease = Lease(self._database, name, print_, self._options.lease_seconds, self._stop.set)
        if self._taken(lease):
            try:
                self._active(lease)
            finally:
                with suppress(PyMongoError, SyncError):
                    lease.release()
        self._metrics.set("active", 0)
        self._metrics.say(state="stopped")
        counted = self._metrics.counted
        return SyncReport(
            counted("changes"), counted("written"), counted("refused"), counted("retries"), counted("full_refreshes")
        )

    def _refuse_elsewhere(self) -> None:
        """A database without any of the design's collections is the wrong one."""
        wanted = set(self._plan.collections) | {each.collection for each in self._plan.kept}
        if wanted and wanted.isdisjoint(self._database.list_collection_names()):
            what = f"the database `{self._database.name}` has none of the design's collections"
            raise SyncError(Problem(what, next_move="name the database that was loaded: mongodb://host/database"))

    def _taken(self, lease: Lease) -> bool:
        """Take the lease; wait for it when another has it."""
        told = False
        while not self._stop.is_set():
            if self._retried(lambda: lease.take(anew=self._options.restart)):
                return True
            if not self._options.wait:
                what = f"another instance keeps `{self._plan.name}` right already"
                raise SyncError(Problem(what, next_move="let it run, or start this one without --no-wait to stand by"))
            if not told:
                self._say(f"Another instance keeps `{self._plan.name}` right. Standing by.")
                self._metrics.say(state="standing by")
                told = True
            self._stop.wait(STANDBY_SECONDS)
        return False

    def _active(self, lease: Lease) -> None:
        if self._options.once:
            lease.computed.clear()
        self._metrics.set("active", 1)
        self._metrics.set("epoch", lease.epoch)
        if self._options.images:
            self._keep_images()
        view = View(self._database)
        refresh = Refresh(view, self._metrics, lease.held)
        side = Side(lambda task: self._beside(task, lease))
        try:
            self._following(lease, view, refresh, side)
        finally:
            self._stop.set()
            side.stop()
            view.close()

    def _keep_images(self) -> None:
        for name in keep_images(self._database, self._plan.imaged):
            self._say(f"Documents of `{name}` are kept before they change, from now on.")

    # --- following ------------------------------------------------------------------------------------------------------

    def _following(self, lease: Lease, view: View, refresh: Refresh, side: Side) -> None:
        """Open the stream, again from now when the history is lost, and go through its changes."""
        after = lease.point
        while not self._stop.is_set():
            try:
                watching = Watching(self._plan.collections, before=bool(self._imaged()), touching=self._plan.touching)
                with follow(self._database, watching, after=after, await_milliseconds=self._await()) as stream:
                    self._seen = target = self._time()
                    if after is None:
                        self._compare_all(side, target)
                    self._metrics.say(state="following")
                    self._say(f"Following {len(self._plan.collections)} collections.")
                    self._loop(lease, view, refresh, side, stream, target)
                    return
            except HistoryLost as lost:
                self._say(f"{lost.problems[0].what}. Comparing everything once, then going on from now.")
                self._metrics.count("history_lost")
                self._metrics.say(state="comparing everything")
                self._retried(lease.forget)
                self._batches.clear()
                after = None

    def _await(self) -> int:
        """How long the server waits for changes: not for long where somebody waits for the end."""
        return ONCE_AWAIT_MILLISECONDS if self._options.once else AWAIT_MILLISECONDS

    def _imaged(self) -> tuple[str, ...]:
        """The collections that keep documents before changes, of those for which it matters."""
        lacking = without_images(self._database, self._plan.imaged)
        return tuple(name for name in self._plan.imaged if name not in lacking)

    def _compare_all(self, side: Side, time: Timestamp | None) -> None:
        """What happened before the stream began is not known: every upkeep is compared as a whole."""
        for kept in self._plan.kept:
            if not is_scheduled(kept):
                side.add(Task(kept, self._number, time))

    def _loop(
        self, lease: Lease, view: View, refresh: Refresh, side: Side, stream: Stream, target: Timestamp | None
    ) -> None:
        while not self._stop.is_set():
            batch = stream.take(CHANGES_AT_ONCE, TAKE_SECONDS)
            self._number += 1
            if batch.changes:
                self._retried(partial(self._apply, batch.changes, lease, view, refresh, side))
            self._batches.append((self._number, batch.point))
            self._scheduled(lease, side)
            if side.error is not None and not self._stop.is_set():
                raise side.error
            self._measure(stream, side)
            drained = self._options.once and _reached(batch.point, target) and not side.waiting
            self._save(lease, side, at_once=drained)
            if drained:
                return
        lease.held()
        self._save(lease, side, at_once=True)

    def _apply(self, changes: Sequence[Change], lease: Lease, view: View, refresh: Refresh, side: Side) -> None:
        """All effects of a batch, but those that are left to the side."""
        lease.held()
        self._seen = time = changes[-1].point.time
        view.not_before(time)
        for name, holders in self._affected.holders(changes, view).items():
            kept = self._kept.get(name)
            if kept is not None and not is_scheduled(kept):
                self._mend(kept, holders, refresh, side, time)
        self._metrics.count("changes", len(changes))
        self._metrics.applied([change.wall for change in changes if change.wall is not None])

    def _mend(self, kept: Kept, holders: Holders, refresh: Refresh, side: Side, time: Timestamp | None) -> None:
        if holders.every:
            side.add(Task(kept, self._number, time))
            return
        anchors, ids = holders.anchors.values, holders.ids
        found = Distinct()
        for number, each in enumerate(refresh.found_by(kept, anchors) if anchors else ()):
            if number == INLINE_HOLDERS:
                side.add(Task(kept, self._number, time, tuple(anchors)))
                found = Distinct()
                break
            found.add(each)
        if len(found) < SHARED_FROM or not refresh.sharing(kept, anchors):
            ids.update(found.values)
        if len(ids):
            refresh.documents(kept, ids.values)

    def _beside(self, task: Task, lease: Lease) -> None:
        """A task of the side, through a view of its thread's own."""

        def may_go_on() -> None:
            if self._stop.is_set():
                raise _Stopped
            lease.held()

        def done() -> None:
            view = View(self._database)
            try:
                view.not_before(task.time)
                refresh = Refresh(view, self._metrics, may_go_on)
                if task.anchors is None:
                    refresh.every(task.kept)
                else:
                    refresh.documents(task.kept, refresh.found_by(task.kept, task.anchors))
            finally:
                view.close()

        self._retried(done)

    def _scheduled(self, lease: Lease, side: Side) -> None:
        """What is due is computed on the side; with `once` that is everything."""
        for kept in due(self._plan, lease.computed, now()):
            lease.computed[kept.id] = now()
            side.add(Task(kept, self._number, self._seen))
            self._metrics.say(last_computed={name: at.isoformat() for name, at in lease.computed.items()})

    # --- the resume point -----------------------------------------------------------------------------------------------

    def _save(self, lease: Lease, side: Side, *, at_once: bool) -> None:
        """Move the resume point to the last batch whose effects, and those of all before, are done."""
        if not at_once and time.monotonic() - self._saved < SAVE_SECONDS:
            return
        oldest = side.oldest
        done = [point for number, point in self._batches if oldest is None or number < oldest]
        if done:
            self._retried(lambda: lease.save(done[-1], lease.computed))
            del self._batches[: len(done)]
            self._metrics.say(resume_point=_shown(done[-1].time))
        self._saved = time.monotonic()

    def _measure(self, stream: Stream, side: Side) -> None:
        self._metrics.set("lag_changes", stream.behind)
        self._metrics.set("waiting", side.waiting)

    def _time(self) -> Timestamp | None:
        """The cluster's time: everything acknowledged before has an earlier one."""
        answer: Mapping[str, Any] = self._retried(lambda: self._database.command("ping"))
        found = answer.get("operationTime")
        return found if isinstance(found, Timestamp) else None

    def _retried(self, work: Callable[[], Answer]) -> Answer:
        """Do it, and again after errors that may pass, for as long as the patience lasts. All work is such that twice is once."""
        end, pause = time.monotonic() + PATIENCE_SECONDS, 0.02
        while True:
            try:
                return work()
            except (PyMongoError, ReadError) as error:
                cause = error.__cause__ if isinstance(error, ReadError) else error
                if (
                    not isinstance(cause, PyMongoError)
                    or not is_transient(cause)
                    or time.monotonic() > end
                    or self._stop.is_set()
                ):
                    raise
                self._metrics.count("retries")
                self._stop.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


class _Stopped(Exception):
    """The run is ending: what is half done is done again by the next one."""


def _reached(point: Point, target: Timestamp | None) -> bool:
    return target is None or (point.time is not None and point.time >= target)


def _shown(time: Timestamp | None) -> str | None:
    """The cluster's time as people and machines read it: whole seconds."""
    return time.as_datetime().isoformat() if time is not None else None
