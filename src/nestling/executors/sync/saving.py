"""Resume points are saved by a thread of their own, one at a time: changes do not wait for the server's disk."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor


class Saving:
    """Saves one after the other; an error is raised by the next call."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "resume point")
        self._last: Future[None] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a save is under way; raises the error of the last one."""
        if self._last is None or not self._last.done():
            return self._last is not None
        self.wait()
        return False

    def begin(self, save: Callable[[], None]) -> None:
        """Save, after what is under way."""
        self.wait()
        self._last = self._thread.submit(save)

    def wait(self) -> None:
        """Return when nothing is under way; raises the error of the last one."""
        last, self._last = self._last, None
        if last is not None:
            last.result()

    def close(self) -> None:
        """Wait, whatever comes of it, and end the thread."""
        self._thread.shutdown()
