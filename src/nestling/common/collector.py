"""Python's search for cycles of objects, left out while a great many are made that have none."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
