"""In words: what a design without a structure would have in its place, and what it would cost."""

from __future__ import annotations

from nestling.ir.proposal import Alternative, Choice, Weighed
from nestling.ir.words.work_words import work_rate

MOST_NAMED = 2
"""Structures named that would take the place of one."""


def without_it(kept: Weighed) -> str:
    """What the best design without it has in its place and which statements pay, then what it costs with nothing there."""
    others = f"{_named(kept.instead)} in its place" if kept.instead else ""
    paid = f"{'this' if others else 'leaving it out'} {kept.because}" if kept.because else ""
    dropped = f"nothing in its place costs {work_rate(kept.dropped)} more" if kept.dropped is not None else ""
    return "; ".join(filter(None, (": ".join(filter(None, (others, paid))), dropped)))


def rejected_text(other: Alternative, chosen: Choice) -> str:
    """A choice that was rejected: the structure with what it costs more, or why it is impossible."""
    return other.text if other.cost is not None or other.choice is chosen else f"{other.choice}: {other.text}"


def _named(structures: tuple[str, ...]) -> str:
    names = list(structures[:MOST_NAMED])
    if len(structures) > MOST_NAMED:
        names.append(f"{len(structures) - MOST_NAMED} more")
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
