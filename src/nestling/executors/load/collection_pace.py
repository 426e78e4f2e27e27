"""Python's cycle collector, slowed down while millions of short-lived rows and documents are made.

None of them is part of a cycle, but every few hundred wake the collector, which then looks at all that are alive: a third of a
load's time. With a higher threshold it looks seldom, and still bounds what cycles elsewhere may hold.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

THRESHOLD = 200_000
"""New containers before the youngest generation is looked at; with the default of 700 a load takes half as long again."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Slow the collector down inside; what was set before is set again."""
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], THRESHOLD) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
