"""Work times coefficients."""

from __future__ import annotations

from collections.abc import Mapping

from nestling.cost.profile import Profile
from nestling.ir.paths.work import Work


def price(work: Work, profile: Profile) -> float:
    """Seconds of server and client time."""
    return float(sum(seconds * getattr(work, name) for name, seconds in profile.seconds.items()))


def prices(work: Work, profile: Profile) -> Mapping[str, float]:
    """Seconds by quantity, dearest first; quantities that cost nothing are left out."""
    parts = {name: seconds * getattr(work, name) for name, seconds in profile.seconds.items()}
    return {name: cost for name, cost in sorted(parts.items(), key=lambda part: (-part[1], part[0])) if cost}
