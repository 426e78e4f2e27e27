"""The work of one change that the background sync handles."""

from __future__ import annotations

from nestling.ir.freshness import Freshness
from nestling.ir.paths.work import NO_WORK, Work


def left(freshness: Freshness) -> Work:
    """An event of the background sync, for what is left to it."""
    return Work(events=1) if freshness.is_left else NO_WORK
