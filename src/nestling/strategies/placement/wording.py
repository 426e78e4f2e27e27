"""Numbers of the optimizer in words: differences as shares, the statements behind them, and where a choice turns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from nestling.ir.design_problem import Solution, Weighing
from nestling.ir.proposal import WITHOUT_IT, Flip
from nestling.ir.rate import factor_between, full_rate
from nestling.ir.words.work_words import LEAST_SHARE_AS_FACTOR, share_text, work_rate

ROUNDING = 1e-7
"""Differences below this share of the cost are the solver's rounding."""
UNCERTAIN_SHARE = 0.01
"""Differences below this share of the cost decide, but the cost model is not so exact that they say much."""
EITHER = "; either would do: between designs that are about equal, the lower cost decides, however small the difference"
"""The text for a choice whose alternative costs hardly more."""
MOST_CAUSES = 3
"""Statements named behind one difference."""
LEAST_NAMED_SHARE = 0.02
"""A statement whose difference is less than this share of the largest is not named."""
UNTOLD_SHARE = 0.01
"""Such a share of the largest is not even counted among the others."""


def share(seconds: float, solution: Solution) -> str:
    """An extra cost as a share of the workload's cost: `0.29% of the workload`, `2.43 times as much`."""
    part = seconds / solution.cost if solution.cost else 0.0
    said = share_text(part)
    return said if part > LEAST_SHARE_AS_FACTOR else f"{said} of the workload"


def saving(seconds: float, solution: Solution) -> str:
    """A saving over something else: `13.5 ms/s (0.29% of the workload)`.

    A large one is `89 ms/s (the workload would cost 2.43 times as much)`.
    """
    would = "the workload would cost " if seconds > LEAST_SHARE_AS_FACTOR * solution.cost else ""
    return f"{work_rate(seconds)} ({would}{share(seconds, solution)})"


def is_rounding(seconds: float, solution: Solution) -> bool:
    """Whether a difference is within the solver's rounding."""
    return abs(seconds) < ROUNDING * solution.cost


def about_equal(seconds: float, solution: Solution) -> str:
    """The prefix for a difference too small to mean much: `about equal: `; "" for others."""
    return "about equal: " if abs(seconds) < UNCERTAIN_SHARE * solution.cost else ""


def more(seconds: float, solution: Solution) -> str:
    """A difference with its share: `13.5 ms/s more (0.29% of the workload)`."""
    if is_rounding(seconds, solution):
        return "just as much"
    return f"{work_rate(abs(seconds))} {'more' if seconds > 0 else 'less'} ({share(abs(seconds), solution)})"


def causes(differences: Iterable[tuple[str, float]], rates: Mapping[str, float]) -> str:
    """The statements behind a difference: `adds 455 ms/s in record_view (900/s), saves 0.9 ms/s in view_count (10/s)`.

    An entry that is not in the workload is not a statement and has no rate: the price of complexity.
    """
    known = [(name, seconds) for name, seconds in differences if seconds]
    largest = max((abs(seconds) for _, seconds in known), default=0.0)
    named = [(name, seconds) for name, seconds in known if abs(seconds) >= LEAST_NAMED_SHARE * largest][:MOST_CAUSES]
    said = [
        f"{verb} {_listed([f'{work_rate(abs(seconds))} {_cause(name, rates)}' for name, seconds in those])}"
        for verb, those in (
            ("adds", [each for each in named if each[1] > 0]),
            ("saves", [e for e in named if e[1] < 0]),
        )
        if those
    ]
    others = sum(abs(seconds) >= UNTOLD_SHARE * largest for _, seconds in known) - len(named)
    return ", ".join(said) + (f"; {others} other{'s change' if others > 1 else ' changes'} a little" if others else "")


def _listed(texts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


def causing(differences: Iterable[tuple[str, float]], rates: Mapping[str, float]) -> tuple[str, ...]:
    """The statements of the workload that cost more or less."""
    return tuple(dict.fromkeys(name for name, seconds in differences if seconds and name in rates))


def _cause(name: str, rates: Mapping[str, float]) -> str:
    return f"in {name} ({full_rate(rates[name])})" if name in rates else f"for {name}"


def flips(weighing: Weighing, rates: Mapping[str, float], words: Mapping[str, str], now: str) -> tuple[Flip, ...]:
    """The flip points of a decision in words, nearest first; `checked`: by its queries too.

    It is not enough that an alternative overtakes the present design: at that rate the best design is a different one.
    """
    nearest: dict[tuple[str, bool], Flip] = {}
    for turn in weighing.turns:
        if turn.quantity.removeprefix("rate of ") not in rates:
            continue
        to = words.get(turn.to or "", turn.to or WITHOUT_IT)
        flip = Flip(turn.quantity, turn.now, turn.at, to, turn.checked)
        nearest.setdefault((flip.quantity, flip.at > flip.now), flip)
    found = (each for each in nearest.values() if each.to != now)
    return tuple(sorted(found, key=lambda each: (factor_between(each.now, each.at), each.quantity)))
