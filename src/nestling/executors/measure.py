"""Timing: the fastest of several runs, in rounds over all probes, so that a busy moment of the machine hits all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nestling.ir.paths.work import Measurement, Work

MOST_ROUNDS = 40
SECONDS_A_PROBE = 0.4
"""A probe is not run again once its runs took that long together, unless it ran fewer than `FEWEST_ROUNDS` times."""
FEWEST_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class TimedCall:
    """Something to time: `run` does it once and returns the seconds it took, without its preparation."""

    name: str
    work: Work
    run: Callable[[], float]


def timed(action: Callable[[], object]) -> Callable[[], float]:
    """A run of an action that needs nothing prepared."""

    def run() -> float:
        began = time.perf_counter()
        action()
        return time.perf_counter() - began

    return run


def measure(
    probes: Sequence[TimedCall], *, seconds: float, report: Callable[[int, int], None] | None = None
) -> tuple[Measurement, ...]:
    """Each probe's fastest run; stops after the round in which `seconds` are over, never before the second.

    `report` hears how many milliseconds of how many are over.
    """
    runs: dict[str, list[float]] = {probe.name: [] for probe in probes}
    began = time.perf_counter()
    for number in range(MOST_ROUNDS):
        if number > 1 and time.perf_counter() - began > seconds:
            break
        for probe in probes:
            done = runs[probe.name]
            if len(done) < FEWEST_ROUNDS or sum(done) < SECONDS_A_PROBE:
                done.append(probe.run())
            if report is not None:
                report(min(int(1e3 * (time.perf_counter() - began)), int(1e3 * seconds)), int(1e3 * seconds))
    return tuple(Measurement(probe.name, probe.work, min(runs[probe.name])) for probe in probes)
