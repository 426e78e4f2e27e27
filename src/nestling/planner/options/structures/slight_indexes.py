"""An index is not used where it makes a statement hardly cheaper: nobody builds one for a hundredth, which no price is exact to,
nor for a moment that nobody notices and that is nothing beside the whole workload.

It takes memory, and time when data are loaded and restored, none of which is in its upkeep.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from nestling.ir.options import Mode, StatementStep

SLIGHT = 0.01
"""The share of a statement's least cost that an index has to save it."""
UNNOTICED_SECONDS = 5e-4
"""What nobody notices of an execution."""
NOTHING = 1e-4
"""The share of the workload's least cost that is nothing beside it."""


def without_slight(
    steps: Iterable[StatementStep], indexes: Collection[str], least: Mapping[str, float], rates: Mapping[str, float]
) -> Iterator[StatementStep]:
    """The steps without the modes by an index that save too little over a mode that needs no more than they do, but for it.

    `least`: seconds an execution of each statement costs at least; `rates`: executions a second.
    """
    nothing = NOTHING * sum(rates[name] * seconds for name, seconds in least.items())
    for step in steps:
        rate = rates[step.statement]
        unnoticed = min(UNNOTICED_SECONDS, nothing / rate) if rate else UNNOTICED_SECONDS
        most = max(SLIGHT * least[step.statement], unnoticed)
        slight = [each for each in step.modes if any(_does_as_well(other, each, indexes, most) for other in step.modes)]
        yield replace(step, modes=tuple(each for each in step.modes if each not in slight)) if slight else step


def _does_as_well(other: Mode, mode: Mode, indexes: Collection[str], most: float) -> bool:
    """Whether another mode costs at most so much more, wherever the mode by an index can be taken, and needs no such index."""
    spared = set(mode.needs).difference(other.needs).intersection(indexes)
    same = (other.also, other.loads) == (mode.also, mode.loads)
    there = set(other.needs) <= set(mode.needs) and set(other.without) <= set(mode.without)
    return bool(spared) and same and there and other.cost <= mode.cost + most
