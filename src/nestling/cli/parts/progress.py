"""Shows the progress of long work on stderr.

On a terminal it is one line that changes, with the rate and the time left. In a file or a pipe it is a plain line every half
minute.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

import click

from nestling.ir.quantity_words import counted, duration

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from nestling.pipeline import Watch

EVERY_SECONDS = 30.0
"""How often a plain line is written."""


@contextmanager
def progress(*, enabled: bool = True, noun: str = "row") -> Iterator[Watch | None]:
    """Yield a `watch` for the pipeline, or None if not enabled. `noun`: what is counted."""
    if not enabled:
        yield None
        return
    if not sys.stderr.isatty():
        with _Lines(noun) as lines:
            yield lines.follow
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
    """Turns progress reports into one line. If the count goes down, a new phase has begun, and the rate starts afresh."""

    def __init__(self, bars: Progress, task: TaskID, noun: str) -> None:
        self._bars, self._task, self._noun = bars, task, noun
        self._last = -1

    def follow(self, label: str, done: int, total: int | None) -> None:
        """Show `done` of `total` (None if unknown) for the phase `label`."""
        so_far = _so_far(done, total, self._noun)
        if self._last < 0 or done < self._last:
            self._bars.reset(self._task, completed=done, total=total)
        speed = self._bars.tasks[0].speed
        rate = f"{speed:,.0f}/s" if speed else ""
        self._bars.update(self._task, completed=done, total=total, description=label, counted=so_far, rate=rate)
        self._last = done


class _Lines:
    """Prints every half minute what is being worked on, even if that reports nothing. Short work prints nothing."""

    def __init__(self, noun: str) -> None:
        self._noun, self._latest, self._began = noun, "starting", time.monotonic()
        self._over = threading.Event()
        self._clock = threading.Thread(target=self._say, name="progress", daemon=True)

    def __enter__(self) -> Self:
        self._clock.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._clock.join()

    def follow(self, label: str, done: int, total: int | None) -> None:
        """Follow a task on the line that changes."""
        so_far = _so_far(done, total, self._noun)
        self._latest = f"{label}: {so_far}" if so_far else label

    def _say(self) -> None:
        while not self._over.wait(EVERY_SECONDS):
            click.echo(f"{duration(round(time.monotonic() - self._began))}: {self._latest}", err=True)


def _so_far(done: int, total: int | None, noun: str) -> str:
    if total is not None:
        return f"{done:,} of {counted(total, noun)}"
    return counted(done, noun) if done else ""
