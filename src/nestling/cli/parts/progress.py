"""How far long work is: one line on stderr with rate and time left while a person watches, nothing otherwise."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from nestling.ir.quantity_words import counted

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from nestling.pipeline import Watch


@contextmanager
def progress(*, enabled: bool = True, noun: str = "row") -> Iterator[Watch | None]:
    """Yield what the pipeline's `watch` takes; None when nobody watches. `noun`: what is counted."""
    if not enabled or not sys.stderr.isatty():
        yield None
        return
    with _line() as bars:
        yield _Follower(bars, bars.add_task("starting", total=None, counted="", rate=""), noun).follow


def _line() -> Progress:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from nestling.cli.parts.text import console

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[counted]}"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(compact=True),
    )
    return Progress(*columns, console=console(stderr=True), transient=True)


class _Follower:
    """Turns what stages report into one line; a phase that begins again at fewer gets a fresh rate."""

    def __init__(self, bars: Progress, task: TaskID, noun: str) -> None:
        self._bars, self._task, self._noun = bars, task, noun
        self._last = -1

    def follow(self, label: str, done: int, total: int | None) -> None:
        """`done` of `total` (None: not known) of what `label` names."""
        so_far = counted(done, self._noun) if done else ""
        if total is not None:
            so_far = f"{done:,} of {counted(total, self._noun)}"
        if self._last < 0 or done < self._last:
            self._bars.reset(self._task, completed=done, total=total)
        speed = self._bars.tasks[0].speed
        rate = f"{speed:,.0f}/s" if speed else ""
        self._bars.update(self._task, completed=done, total=total, description=label, counted=so_far, rate=rate)
        self._last = done
