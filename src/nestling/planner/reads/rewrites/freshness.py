"""Whether what is kept away from its home may answer: never behind always, else no further behind than is tolerated."""

from __future__ import annotations

from nestling.ir.freshness import Freshness, Level

_STRENGTH = {level: place for place, level in enumerate(Level)}
_NEVER_BEHIND = (Level.SAME_DOCUMENT, Level.TRANSACTION)


def is_fresh(kept: Freshness, tolerated: Freshness | None) -> bool:
    """Whether a copy or computed value may answer a read that tolerates so much; None tolerates nothing."""
    if kept.level in _NEVER_BEHIND:
        return True
    if tolerated is None or kept.level is Level.SNAPSHOT or tolerated.level is Level.SNAPSHOT:
        return tolerated is not None and kept.level is tolerated.level
    if _STRENGTH[kept.level] > _STRENGTH[tolerated.level]:
        return False
    return (kept.seconds or 0) <= (tolerated.seconds or 0)
