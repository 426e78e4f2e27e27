"""The loop: reads changes, repairs what depends on them, and advances the resume point."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any

from bson.timestamp import Timestamp

from nestling.common.errors import HistoryLost
from nestling.executors.changes import ChangeEvent, ChangeStream, HistoryPoint, Watching, follow, without_images
from nestling.executors.changes.stream import AWAIT_MILLISECONDS
from nestling.executors.moment import now
from nestling.executors.sync.affected import Affected, Holders
from nestling.executors.sync.asking import DatabaseSession
from nestling.executors.sync.copied_from import require_homes
from nestling.executors.sync.large_refreshes import RefreshQueue, Task
from nestling.executors.sync.lease import SyncLease
from nestling.executors.sync.narrowed import DistinctValues
from nestling.executors.sync.refresh import Refresh
from nestling.executors.sync.run import SyncRun
from nestling.executors.sync.saving import Saving
from nestling.executors.sync.schedule import due, is_scheduled
from nestling.ir.programs.route import BackgroundUpkeep
from nestling.ir.quantity_words import counted

CHANGES_AT_ONCE = 1_000
INLINE_HOLDERS = 5_000
"""Most documents of one upkeep repaired before the next batch; a change that affects more is handled on the side."""
SHARED_FROM = 20
"""From this many documents on, a transaction for their common value is faster than comparing each (roughly measured)."""
TAKE_SECONDS = 0.25
ONCE_AWAIT_MILLISECONDS = 20
SAVE_SECONDS = 0.5


class Following:
    """What a run does while it holds the lease."""

    def __init__(self, run: SyncRun, lease: SyncLease) -> None:
        self._run, self._lease = run, lease
        self._kept = {each.id: each for each in run.plan.kept}
        self._affected = Affected(run.plan)
        self._view = DatabaseSession(run.database)
        self._refresh = Refresh(self._view, run.metrics, lease.held, lease.unrepaired, remove=run.options.remove)
        self._computing: set[str] = set()  # scheduled values that are due, until they are computed
        self._side = RefreshQueue(self._beside)
        self._batches: list[tuple[int, HistoryPoint]] = []
        self._number = 0
        self._saved = 0.0
        self._saving = Saving()
        self._seen: Timestamp | None = None
        self._behind = 0
        self.left = 0
        """The number of known changes and refreshes that were not handled when it was closed."""

    def close(self) -> None:
        """End the work on the side."""
        self._side.stop()
        self.left = self._behind + self._side.waiting
        self._saving.close()
        self._view.close()

    def go(self) -> None:
        """Open the stream, again from now when the history is lost, and go through its changes."""
        after = self._lease.point
        while not self._run.stop.is_set():
            try:
                watching = Watching(
                    self._run.plan.collections, before=bool(self._imaged()), touching=self._run.plan.touching
                )
                with follow(self._run.database, watching, after=after, await_milliseconds=self._await()) as stream:
                    self._seen = target = self._time()
                    self._compare(target, [*self._kept] if after is None else [*self._lease.unrepaired])
                    self._run.metrics.say(state="following")
                    self._run.say(f"Following {counted(len(self._run.plan.collections), 'collection')}.")
                    self._loop(stream, target)
                    return
            except HistoryLost as lost:
                self._run.say(f"{lost.problems[0].what}. Comparing everything once, then continuing from now.")
                self._run.metrics.count("history_lost")
                self._run.metrics.say(state="comparing everything")
                self._saving.wait()
                self._run.retried(self._lease.forget)
                self._batches.clear()
                after = None

    def _await(self) -> int:
        """How long the server waits for changes: not for long where somebody waits for the end."""
        return ONCE_AWAIT_MILLISECONDS if self._run.options.once else AWAIT_MILLISECONDS

    def _imaged(self) -> tuple[str, ...]:
        """The collections that keep pre-images, among those for which it matters."""
        lacking = without_images(self._run.database, self._run.plan.imaged)
        return tuple(name for name in self._run.plan.imaged if name not in lacking)

    def _compare(self, time: Timestamp | None, names: Sequence[str]) -> None:
        """Compare upkeeps as a whole: earlier changes are unknown, or the run before could not repair all their copies."""
        if names:
            self._require_homes()
        for kept in (self._kept[name] for name in names if name in self._kept):
            if not is_scheduled(kept):
                self._side.add(Task(kept, self._number, time))

    def _loop(self, stream: ChangeStream, target: Timestamp | None) -> None:
        while not self._run.stop.is_set():
            batch = stream.take(CHANGES_AT_ONCE, TAKE_SECONDS)
            self._number += 1
            if batch.changes:
                self._run.retried(partial(self._apply, batch.changes))
            self._batches.append((self._number, batch.point))
            self._scheduled()
            if self._side.error is not None and not self._run.stop.is_set():
                raise self._side.error
            self._measure(stream)
            drained = self._run.options.once and _reached(batch.point, target) and not self._side.waiting
            self._save(at_once=drained)
            if drained:
                return
        self._behind = stream.behind
        self._lease.held()
        self._save(at_once=True)

    def _apply(self, changes: Sequence[ChangeEvent]) -> None:
        """Apply all effects of a batch, except those left to the side."""
        self._lease.held()
        if not all(change.kind.of_document for change in changes):
            self._require_homes()
        self._seen = time = changes[-1].point.time
        self._view.not_before(time)
        for name, holders in self._affected.holders(changes, self._view).items():
            kept = self._kept.get(name)
            if kept is not None and not is_scheduled(kept):
                self._mend(kept, holders, time)
        self._run.metrics.count("changes", len(changes))
        self._run.metrics.applied([change.wall for change in changes if change.wall is not None])

    def _require_homes(self) -> None:
        if not self._run.options.remove:
            require_homes(self._run.database, self._run.plan)

    def _mend(self, kept: BackgroundUpkeep, holders: Holders, time: Timestamp | None) -> None:
        if holders.every:
            self._side.add(Task(kept, self._number, time))
            return
        anchors, ids = holders.anchors.values, holders.ids
        if anchors and not self._refresh.few(kept, anchors):
            self._many(kept, anchors, ids, time)
        if len(ids):
            self._refresh.documents(kept, ids.values)

    def _many(
        self, kept: BackgroundUpkeep, anchors: Sequence[Sequence[object]], ids: DistinctValues, time: Timestamp | None
    ) -> None:
        """Mend the holders of these anchors, or add theirs to `ids`; one anchor with too many is left to the side, alone."""
        found = DistinctValues()
        found.update(islice(self._refresh.found_by(kept, anchors), INLINE_HOLDERS + 1))
        if len(found) <= INLINE_HOLDERS:
            if len(found) < SHARED_FROM or not self._refresh.sharing(kept, anchors):
                ids.update(found.values)
        elif len(anchors) == 1:
            self._side.add(Task(kept, self._number, time, tuple(anchors)))
        else:
            middle = len(anchors) // 2
            self._many(kept, anchors[:middle], ids, time)
            self._many(kept, anchors[middle:], ids, time)

    def _beside(self, task: Task) -> None:
        """A task of the side, through a view of its thread's own."""

        def may_go_on() -> None:
            if self._run.stop.is_set():
                raise _Stopped
            self._lease.held()

        def done() -> None:
            began, view = now(), DatabaseSession(self._run.database)
            try:
                view.not_before(task.time)
                remove, unrepaired = self._run.options.remove, self._lease.unrepaired
                refresh = Refresh(view, self._run.metrics, may_go_on, unrepaired, remove=remove)
                if task.anchors is None:
                    refresh.every(task.kept)
                else:
                    refresh.documents(task.kept, refresh.found_by(task.kept, task.anchors))
            finally:
                view.close()
            if is_scheduled(task.kept):
                self._computed(task.kept, began)

        self._run.retried(done)

    def _scheduled(self) -> None:
        """Compute due values on the side; with `once` these are all."""
        for kept in due(self._run.plan, self._lease.computed, now()):
            if kept.id not in self._computing:
                self._computing.add(kept.id)
                self._side.add(Task(kept, self._number, self._seen))

    def _computed(self, kept: BackgroundUpkeep, began: datetime) -> None:
        """Record the time at which a computation began; if a run stops earlier, the next one computes it."""
        self._lease.computed[kept.id] = began
        self._computing.discard(kept.id)
        self._run.metrics.say(last_computed={name: at.isoformat() for name, at in self._lease.computed.items()})

    # --- the resume point -----------------------------------------------------------------------------------------------

    def _save(self, *, at_once: bool) -> None:
        """Advance the resume point to the last batch whose effects, and all earlier ones, are complete."""
        if not at_once and (time.monotonic() - self._saved < SAVE_SECONDS or self._saving.is_busy):
            return
        oldest = self._side.oldest
        done = [point for number, point in self._batches if oldest is None or number < oldest]
        if done:
            self._saving.begin(
                partial(self._saved_at, done[-1], dict(self._lease.computed), tuple(self._lease.unrepaired))
            )
            del self._batches[: len(done)]
        if at_once:
            self._saving.wait()
        self._saved = time.monotonic()

    def _saved_at(self, point: HistoryPoint, computed: Mapping[str, datetime], unrepaired: Sequence[str]) -> None:
        self._run.retried(partial(self._lease.save, point, computed, unrepaired))
        self._run.metrics.say(resume_point=_shown(point.time))

    def _measure(self, stream: ChangeStream) -> None:
        self._run.metrics.set("lag_changes", stream.behind)
        self._run.metrics.set("waiting", self._side.waiting)

    def _time(self) -> Timestamp | None:
        """The cluster's time: everything acknowledged before has an earlier one."""
        answer: Mapping[str, Any] = self._run.retried(lambda: self._run.database.command("ping"))
        found = answer.get("operationTime")
        return found if isinstance(found, Timestamp) else None


class _Stopped(Exception):
    """The run is ending: the next one repeats unfinished work."""


def _reached(point: HistoryPoint, target: Timestamp | None) -> bool:
    return target is None or (point.time is not None and point.time >= target)


def _shown(time: Timestamp | None) -> str | None:
    """The cluster's time as people and machines read it: whole seconds."""
    return time.as_datetime().isoformat() if time is not None else None
