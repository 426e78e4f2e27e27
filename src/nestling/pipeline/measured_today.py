"""Compares measured times of a live database's commands with what the cost model predicts for today's design.

A workload made by `nestling capture` says how long the command of each statement took on the server (`-- measured: 23.5 ms`).
For further statements of the same command it says with which one they were measured. The cost model also counts the network
round trip, which the server does not measure, so that is left out here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from nestling.ir.workload import Statement

REPORTED_FACTOR = 3.0
"""A price that differs from the measured one by more than this factor is reported."""
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
        """The larger of measured and predicted time divided by the smaller."""
        both = max(self.measured_seconds, LEAST_SECONDS), max(self.predicted_seconds, LEAST_SECONDS)
        return max(both) / min(both)

    @property
    def off_by(self) -> float:
        """The difference, in seconds a second."""
        return abs(self.measured_seconds - self.predicted_seconds) * self.rate_per_second


def measured_commands(
    statements: Iterable[Statement], costs: Mapping[str, float], request_seconds: float
) -> Iterator[MeasuredCommand]:
    """Yield the commands with a known time. `costs`: seconds per execution of each statement on today's design."""
    every = [each for each in statements if each.name in costs]
    for first in every:
        if first.measured_seconds is None:
            continue
        said = [first, *(each for each in every if each.asked_with == first.name)]
        predicted = sum(max(costs[each.name] - request_seconds, 0.0) for each in said)
        names = tuple(each.name for each in said)
        yield MeasuredCommand(names, first.rate_per_second, first.measured_seconds, predicted)


def far_apart(commands: Iterable[MeasuredCommand], whole: float) -> tuple[MeasuredCommand, ...]:
    """Return the commands whose prices the measurements contradict, worst first. `whole`: the total cost, in s/s."""
    found = [each for each in commands if each.factor > REPORTED_FACTOR and each.off_by >= LEAST_SHARE * whole]
    return tuple(sorted(found, key=lambda each: -each.off_by))
