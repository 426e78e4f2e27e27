"""Large refreshes, done concurrently with new changes: by a separate thread, one at a time.

The resume point never passes a change with unfinished effects. If the same whole upkeep is requested again before it has begun,
it is done once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Condition, Thread

from bson.timestamp import Timestamp

from nestling.ir.programs.route import BackgroundUpkeep


@dataclass(frozen=True)
class Task:
    """A refresh of all holders of an upkeep, or of those found by `anchors`; `since`: the batch it is for."""

    kept: BackgroundUpkeep
    since: int
    time: Timestamp | None
    anchors: tuple[Sequence[object], ...] | None = None


class RefreshQueue:
    """The waiting tasks and the thread that does them."""

    def __init__(self, done_by: Callable[[Task], None]) -> None:
        self._do = done_by
        self._changed = Condition()
        self._waiting: OrderedDict[object, Task] = OrderedDict()
        self._running: Task | None = None
        self._stopped = False
        self.error: BaseException | None = None
        self._thread = Thread(target=self._run, name="side", daemon=True)
        self._thread.start()

    def add(self, task: Task) -> None:
        """Do it later; a whole upkeep that waits already is done once: since the earlier batch, not before the later's time."""
        key = task.kept.id if task.anchors is None else object()
        with self._changed:
            before = self._waiting.get(key)
            if before is not None:
                task = Task(task.kept, before.since, task.time)
            self._waiting[key] = task
            self._changed.notify_all()

    @property
    def oldest(self) -> int | None:
        """The batch of the oldest task that is not done."""
        with self._changed:
            tasks = [*self._waiting.values(), *([self._running] if self._running is not None else [])]
            return min((task.since for task in tasks), default=None)

    @property
    def waiting(self) -> int:
        """The number of refreshes that are not done."""
        with self._changed:
            return len(self._waiting) + (self._running is not None)

    def stop(self) -> None:
        """Begin no further refresh; one that runs ends at its next step."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._stopped)
                if self._stopped:
                    return
                _, self._running = self._waiting.popitem(last=False)
                task = self._running
            try:
                self._do(task)
            except BaseException as error:
                self.error = error
                return
            with self._changed:
                self._running = None
