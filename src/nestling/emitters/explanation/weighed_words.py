"""Words for the replacement of a structure, and for the cost without it."""

from __future__ import annotations

from nestling.ir.design_problem import CHANGE
from nestling.ir.proposal import Alternative, Choice, Costs, Weighed
from nestling.ir.words.work_words import share_text, work_rate

MOST_NAMED = 2
"""Structures named that would take the place of one."""


def rate_and_share(seconds: float, costs: Costs | None) -> str:
    """An amount of work, and its share of all where that is known: `13.5 ms/s (0.29%)`."""
    return f"{work_rate(seconds)}{_share(seconds, costs)}"


def staying(kept: Weighed, costs: Costs | None = None) -> str:
    """Why a structure that saves nothing is there: it was there, and taking it away would not save enough."""
    saved = rate_and_share(-kept.gain, costs) if kept.gain else "nothing"
    return f"leaving it out would save {saved}, less than the {CHANGE}, {work_rate(kept.threshold)}"


def not_kept(rejected: Weighed, costs: Costs | None = None) -> str:
    """The extra cost of a rejected structure, or that it would save too little."""
    gain = rejected.gain or 0.0
    if gain <= 0:
        return f"costs {work_rate(-gain)} more{_share(-gain, costs)}"
    less = f", less than the {CHANGE}, {work_rate(rejected.threshold)}" if rejected.threshold > 0 else ""
    return f"would save {rate_and_share(gain, costs)}{less}"


def kept_text(kept: Weighed, costs: Costs | None = None) -> str:
    """The replacement of a structure, and if it only stays because it exists, why."""
    if not kept.stays:
        return without_it(kept)
    because = f": it {kept.because}" if kept.because else ""
    return f"{staying(kept, costs)}{f'; {without_it(kept)}' if kept.instead else because}"


def without_it(kept: Weighed) -> str:
    """The replacement in the best design without it, the statements that pay, and the cost with no replacement."""
    others = f"{_named(kept.instead)} in its place" if kept.instead else ""
    paid = f"{'this' if others else 'leaving it out'} {kept.because}" if kept.because else ""
    dropped = f"having nothing in its place costs {work_rate(kept.dropped)} more" if kept.dropped is not None else ""
    return "; ".join(filter(None, (": ".join(filter(None, (others, paid))), dropped)))


def rejected_text(other: Alternative, chosen: Choice) -> str:
    """A rejected choice: the structure with its extra cost, or why it is impossible."""
    return other.text if other.cost is not None or other.choice is chosen else f"{other.choice}: {other.text}"


def _named(structures: tuple[str, ...]) -> str:
    names = list(structures[:MOST_NAMED])
    if len(structures) > MOST_NAMED:
        names.append(f"{len(structures) - MOST_NAMED} more")
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _share(seconds: float, costs: Costs | None) -> str:
    return f" ({share_text(seconds / costs.cost)})" if costs is not None and costs.cost else ""
