"""What would be without a structure that is kept, in words."""

from __future__ import annotations

from nestling.ir.proposal import Weighed
from nestling.ir.work_words import work_rate

MOST_NAMED = 2
"""Structures named that would take the place of one."""


def without_it(kept: Weighed) -> str:
    """What the best design without it has in its place and who pays, then what it costs with nothing there."""
    others = f"{_named(kept.instead)} in its place" if kept.instead else ""
    dropped = f"with nothing in its place {work_rate(kept.dropped)} more" if kept.dropped is not None else ""
    return "; ".join(filter(None, (": ".join(filter(None, (others, kept.because))), dropped)))


def _named(structures: tuple[str, ...]) -> str:
    names = list(structures[:MOST_NAMED])
    if len(structures) > MOST_NAMED:
        names.append(f"{len(structures) - MOST_NAMED} more")
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
