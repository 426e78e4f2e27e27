"""How long the commands of a live database were measured to take, beside what the cost model says of them on today's design.

A workload that `nestling capture` made says of each statement how long its command took on the server (`-- measured: 23.5 ms`),
and of further statements of the same command with which one they were measured. The cost model also counts the request on its
way, which the server does not measure: that is left out here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from nestling.ir.workload import Statement

APART = 3.0
"""So many times as much or as little as measured is far apart."""
LEAST_SECONDS = 0.0005
"""What a command takes at least: servers measure whole milliseconds."""
LEAST_SHARE = 0.01
"""The share of the workload's cost a command has to be off by to be worth a line."""


@dataclass(frozen=True, slots=True)
class MeasuredCommand:
    """The statements of one command, its rate, and its seconds each time: measured, and by the cost model."""

    statements: tuple[str, ...]
    rate_per_second: float
    measured_seconds: float
    predicted_seconds: float

    @property
    def factor(self) -> float:
        """How many times the larger is the smaller."""
        both = max(self.measured_seconds, LEAST_SECONDS), max(self.predicted_seconds, LEAST_SECONDS)
        return max(both) / min(both)

    @property
    def off_by(self) -> float:
        """The difference, in seconds a second."""
        return abs(self.measured_seconds - self.predicted_seconds) * self.rate_per_second


def measured_commands(
    statements: Iterable[Statement], costs: Mapping[str, float], request_seconds: float
) -> Iterator[MeasuredCommand]:
    """The commands whose time is known; `costs`: seconds an execution of each statement takes on today's design."""
    every = [each for each in statements if each.name in costs]
    for first in every:
        if first.measured_seconds is None:
            continue
        said = [first, *(each for each in every if each.asked_with == first.name)]
        predicted = sum(max(costs[each.name] - request_seconds, 0.0) for each in said)
        names = tuple(each.name for each in said)
        yield MeasuredCommand(names, first.rate_per_second, first.measured_seconds, predicted)


def far_apart(commands: Iterable[MeasuredCommand], whole: float) -> tuple[MeasuredCommand, ...]:
    """Those whose prices the measurements contradict, the most off first; `whole`: what all costs, in seconds a second."""
    found = [each for each in commands if each.factor > APART and each.off_by >= LEAST_SHARE * whole]
    return tuple(sorted(found, key=lambda each: -each.off_by))
