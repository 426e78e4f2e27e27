"""An index is not used where it makes a statement hardly cheaper: nobody builds one for a hundredth, which no price is exact to,
nor for a moment that nobody notices and that is nothing beside the whole workload. Of two indexes that save nearly the same
neither is better, so that one which serves another statement, too, is enough.

It takes memory, and time when data are loaded and restored, none of which is in its upkeep.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from nestling.ir.design_problem import Mode, StatementStep

SLIGHT = 0.01
"""The share of a statement's least cost that an index has to save it."""
UNNOTICED_SECONDS = 5e-4
"""What nobody notices of an execution."""
NOTHING = 1e-4
"""The share of the workload's least cost that is nothing beside it."""

TOLD = 0.05
"""What is left of a difference between two indexes that is no more than that."""


def without_slight(
    steps: Iterable[StatementStep], indexes: Collection[str], least: Mapping[str, float], rates: Mapping[str, float]
) -> Iterator[StatementStep]:
    """The steps without the modes by an index that save too little over a mode that needs no more than they do, but for it; modes
    that do but for which index it is, and are not further apart, cost nearly what the dearest of them does.

    `least`: seconds an execution of each statement costs at least; `rates`: executions a second.
    """
    nothing = NOTHING * sum(rates[name] * seconds for name, seconds in least.items())
    for step in steps:
        rate = rates[step.statement]
        unnoticed = min(UNNOTICED_SECONDS, nothing / rate) if rate else UNNOTICED_SECONDS
        most = max(SLIGHT * least[step.statement], unnoticed)
        left = tuple(_not_slight(step.modes, indexes, most))
        modes = tuple(_as_dear_as(left, each, indexes, most) for each in left)
        yield replace(step, modes=modes) if modes != step.modes else step


def _not_slight(modes: Iterable[Mode], indexes: Collection[str], most: float) -> Iterator[Mode]:
    """The modes beside which none costs at most so much more, wherever they can be taken, and needs one index less."""
    of_each = [(mode, frozenset(mode.needs), frozenset(mode.without)) for mode in modes]
    for mode, needs, without in of_each:
        by = needs.intersection(indexes)
        if not by or not any(
            other.cost <= mode.cost + most
            and its_needs < needs
            and not by <= its_needs
            and its_without <= without
            and _charges_alike(other, mode)
            for other, its_needs, its_without in of_each
        ):
            yield mode


def _as_dear_as(modes: Iterable[Mode], mode: Mode, indexes: Collection[str], most: float) -> Mode:
    """The mode nearly at the price of the dearest by another index that costs at most so much more.

    Of two that are there, or neither, the cheaper is to be had.
    """
    needs, by = set(mode.needs).difference(indexes), set(mode.needs).intersection(indexes)
    alike = (
        other.cost
        for other in modes
        if set(other.needs).difference(indexes) == needs
        and len(by) == len(set(other.needs).intersection(indexes))
        and other.without == mode.without
        and _charges_alike(other, mode)
        and other.cost <= mode.cost + most
    )
    dearest = max(alike, default=mode.cost) if by else mode.cost
    return replace(mode, cost=dearest - TOLD * (dearest - mode.cost)) if dearest > mode.cost else mode


def _charges_alike(one: Mode, other: Mode) -> bool:
    return (one.also, one.loads) == (other.also, other.loads)
