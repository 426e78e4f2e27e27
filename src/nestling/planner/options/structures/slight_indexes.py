"""An index is not used where it makes a statement hardly cheaper: nobody builds one for a hundredth, which no price is exact to,
nor for a moment that nobody notices and that is nothing beside the whole workload. Of two indexes that save nearly the same
neither is better, so that one which serves another statement, too, is enough.

It takes memory, and time when data are loaded and restored, none of which is in its upkeep.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations

from nestling.ir.design_problem import Mode, StatementStep

StructureNames = frozenset[str]

LEAST_SAVED_SHARE = 0.01
"""The share of a statement's least cost that an index has to save it."""
UNNOTICED_SECONDS = 5e-4
"""What nobody notices of an execution."""
NEGLIGIBLE_SHARE = 1e-4
"""The share of the workload's least cost that is nothing beside it."""

TOLD = 0.05
"""The share of the cost difference that is kept between modes that differ only slightly."""


def without_slight(
    steps: Iterable[StatementStep], indexes: Collection[str], least: Mapping[str, float], rates: Mapping[str, float]
) -> Iterator[StatementStep]:
    """The steps without modes by an index that save too little over a mode that otherwise needs the same.

    Modes that differ only in their index, and by no more than that, get nearly the cost of the most expensive of them.

    `least`: the least seconds that an execution of each statement costs; `rates`: executions a second.
    """
    nothing = NEGLIGIBLE_SHARE * sum(rates[name] * seconds for name, seconds in least.items())
    for step in steps:
        rate = rates[step.statement]
        unnoticed = min(UNNOTICED_SECONDS, nothing / rate) if rate else UNNOTICED_SECONDS
        most = max(LEAST_SAVED_SHARE * least[step.statement], unnoticed)
        modes = tuple(_by_dearest(_not_slight(step.modes, indexes, most), indexes, most))
        yield replace(step, modes=modes) if modes != step.modes else step


def _not_slight(modes: Iterable[Mode], indexes: Collection[str], most: float) -> Iterator[Mode]:
    """The modes beside which none costs at most so much more, wherever they can be taken, and needs one index less."""
    every, by_needs = [(frozenset(mode.needs), mode) for mode in modes], defaultdict[StructureNames, list[Mode]](list)
    for needs, mode in every:
        by_needs[needs].append(mode)
    fewer: dict[StructureNames, list[Mode]] = {}
    for needs in by_needs:
        by = needs.intersection(indexes)
        less = (each for each in _parts(needs, by_needs) if not by <= each) if by else ()
        fewer[needs] = [mode for each in less for mode in by_needs[each]]
    for needs, mode in every:
        if not any(
            other.cost <= mode.cost + most
            and set(other.without) <= set(mode.without)
            and (other.also, other.loads) == (mode.also, mode.loads)
            for other in fewer[needs]
        ):
            yield mode


def _parts(needs: StructureNames, among: Collection[StructureNames]) -> Iterator[StructureNames]:
    """The proper subsets of what a mode needs that some other mode needs."""
    if 1 << len(needs) > len(among):
        yield from (each for each in among if each < needs)
        return
    for size in range(len(needs)):
        yield from (part for each in combinations(needs, size) if (part := frozenset(each)) in among)


def _by_dearest(modes: Iterable[Mode], indexes: Collection[str], most: float) -> Iterator[Mode]:
    """The modes, each nearly at the price of the dearest by another index that costs at most so much more.

    Of two that are there, or neither, the cheaper is to be had.
    """
    every, costs = [*modes], defaultdict[Hashable, list[float]](list)
    keys = [_but_for_index(mode, indexes) for mode in every]
    for mode, key in zip(every, keys, strict=True):
        costs[key].append(mode.cost)
    for each in costs.values():
        each.sort()
    for mode, key in zip(every, keys, strict=True):
        alike = costs[key]
        dearest = alike[bisect_right(alike, mode.cost + most) - 1] if key is not None else mode.cost
        yield replace(mode, cost=dearest - TOLD * (dearest - mode.cost)) if dearest > mode.cost else mode


def _but_for_index(mode: Mode, indexes: Collection[str]) -> Hashable:
    """What modes have in common that differ in their indexes; None for one by no index."""
    needs = frozenset(mode.needs)
    by = needs.intersection(indexes)
    return (needs - by, len(by), mode.without, mode.also, mode.loads) if by else None
