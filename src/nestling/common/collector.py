"""Python's search for cycles of objects, left out or slowed down while a great many are made that have none, and at the end."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

THRESHOLD = 200_000
"""New containers before the youngest generation is looked at; with the default of 700 a load takes half as long again."""


@contextmanager
def no_cycle_search() -> Iterator[None]:
    """While this lasts, unused objects are freed as ever unless they form cycles; those wait until after it.

    For frozen values by the hundred thousand: the collector would go through all of them again and again and free none.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def seldom_collected() -> Iterator[None]:
    """While this lasts, the search is seldom, and still bounds what cycles elsewhere may hold.

    For millions of short-lived rows and documents: every few hundred would wake the collector, which then looks at all that are
    alive, a third of a load's time.
    """
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], THRESHOLD) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def leave_all() -> None:
    """Leave out all there is from every search to come: the one at a program's end takes a fifth of a short command's time."""
    gc.freeze()
