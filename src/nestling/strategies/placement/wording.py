"""Numbers of the optimizer in words: differences as shares, the statements behind them, and where a choice turns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nestling.ir.durations import work_rate
from nestling.ir.options import Solution, Turn
from nestling.ir.proposal import Flip
from nestling.ir.rate import rate_text

MOST_CAUSES = 3
"""Statements named behind one difference."""
SMALL = 0.02
"""A statement whose difference is less than this share of the largest is not named."""


def share(seconds: float, solution: Solution) -> str:
    """A difference as a share of what the whole workload costs."""
    if not solution.cost:
        return "of nothing"
    part = abs(seconds) / solution.cost
    return f"{part:.2%} of the workload" if part >= 1e-4 else "under 0.01% of the workload"


def more(seconds: float, solution: Solution) -> str:
    """A difference with its share: `13.5 ms/s more (0.29% of the workload)`."""
    if abs(seconds) < 1e-9 * max(solution.cost, 1e-9):
        return "just as much"
    return f"{work_rate(abs(seconds))} {'more' if seconds > 0 else 'less'} ({share(seconds, solution)})"


def causes(differences: Iterable[tuple[str, float]], rates: Mapping[str, float]) -> str:
    """The statements behind a difference: `record_view (900/s) 455 ms/s more, view_count (10/s) 0.9 ms/s less`."""
    known = [(name, seconds) for name, seconds in differences if seconds]
    largest = max((abs(seconds) for _, seconds in known), default=0.0)
    named = [(name, seconds) for name, seconds in known if abs(seconds) >= SMALL * largest][:MOST_CAUSES]
    said = [
        f"{name} ({rate_text(rates[name])}) {work_rate(abs(seconds))} {'more' if seconds > 0 else 'less'}"
        for name, seconds in named
    ]
    others = len(known) - len(named)
    return ", ".join(said) + (f", {others} others little" if others and said else "")


def flips(turns: Iterable[Turn], words: Mapping[str, str], now: str) -> tuple[Flip, ...]:
    """Turns as flips, in the words structures stand for; those to what is said of the present choice already are none."""
    found = [
        Flip(turn.quantity, turn.now, turn.at, words.get(turn.to or "", turn.to or "without it")) for turn in turns
    ]
    return tuple(dict.fromkeys(flip for flip in found if flip.to != now))
