"""What a design leaves to the background sync: nothing else keeps it right."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design import Design
from nestling.ir.quantity_words import agreeing, first_of
from nestling.planner.upkeep.all_upkeeps import upkeeps_of

_SHOWN = 6


def left_to_sync(design: Design) -> Iterator[str]:
    """Yield one note about the copies, computed values and ids that change only while the sync runs, if there are any."""
    left = [f"`{each.id}` ({each.freshness})" for each in upkeeps_of(design) if each.freshness.is_left]
    if left:
        follow = agreeing(len(left), "follows its source", "follow their sources")
        goes = agreeing(len(left), "goes", "go")
        named = first_of(left, _SHOWN)
        yield f"{named} {follow} only while `nestling sync DESIGN URI` runs, and {goes} stale without it"
