"""When values that are computed now and then are due."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from nestling.ir.freshness import Level
from nestling.ir.programs.route import BackgroundUpkeep, SyncPlan


def is_scheduled(kept: BackgroundUpkeep) -> bool:
    """Whether it is computed every so often, and not at every change."""
    return kept.freshness.level is Level.SCHEDULED


def due(plan: SyncPlan, computed: Mapping[str, datetime], at: datetime) -> tuple[BackgroundUpkeep, ...]:
    """The scheduled upkeeps whose period is over since they were last computed, or that never were."""
    return tuple(each for each in plan.kept if is_scheduled(each) and _is_due(each, computed.get(each.id), at))


def _is_due(kept: BackgroundUpkeep, last: datetime | None, at: datetime) -> bool:
    assert kept.freshness.seconds is not None
    return last is None or last > at or at - last >= timedelta(seconds=kept.freshness.seconds)
