"""What is left to the background sync."""

from __future__ import annotations

from nestling.ir.freshness import Freshness, Level
from nestling.ir.work import NO_WORK, Work


def is_left(freshness: Freshness) -> bool:
    """Whether the background sync keeps it, not the write."""
    return freshness.level in (Level.ASYNC, Level.SCHEDULED)


def left(freshness: Freshness) -> Work:
    """An event of the background sync, for what is left to it."""
    return Work(events=1) if is_left(freshness) else NO_WORK
