"""Quantiles of latencies, and bootstrap intervals: the spread over resamples of the same rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nestling.ir.proof import Interval, Latency

RESAMPLES = 400
SLOWEST = 0.05
"""The share of a statement's executions, the slowest, that is left out of the mix's mean, on every design.

A machine that also does something else pauses now and then, and the pauses would decide. The 95th and 99th percentiles are
reported for each statement.
"""


def latency(seconds: Sequence[float]) -> Latency | None:
    """The quantiles, mean and number of the given times in seconds; None if there are none."""
    if not seconds:
        return None
    p50, p95, p99 = np.quantile(np.asarray(seconds), (0.5, 0.95, 0.99))
    return Latency(float(p50), float(p95), float(p99), float(np.mean(seconds)), len(seconds))


Round = Mapping[str, Sequence[float]]
"""Seconds of each statement's executions in one round."""


@dataclass(frozen=True, slots=True)
class MixSeconds:
    """Seconds of a mix's average statement, and what they would have been in `RESAMPLES` other draws of as many rounds."""

    seconds: float
    resampled: tuple[float, ...]

    def throughput(self, clients: int) -> tuple[float, Interval]:
        """Statements a second that so many clients get answered, one after the other each."""
        return clients / self.seconds, _interval([clients / each for each in self.resampled])

    def times(self, other: MixSeconds) -> tuple[float, Interval]:
        """How much longer the mix takes than on another design in the same rounds."""
        ratios = [mine / theirs for mine, theirs in zip(self.resampled, other.resampled, strict=True)]
        return self.seconds / other.seconds, _interval(ratios)


def seconds_of_mix(rounds: Sequence[Round], rates: Mapping[str, float], *, seed: int) -> MixSeconds:
    """The seconds of the average statement at the rates; with the same seed and number of rounds the same draws of rounds."""
    chance = np.random.default_rng(seed)
    draws = chance.integers(0, len(rounds), (RESAMPLES, len(rounds)))
    whole, totals, weight = 0.0, np.zeros(RESAMPLES), sum(rates.values())
    for name, rate in rates.items():
        known = [np.asarray(each.get(name, ()), dtype=float) for each in rounds]
        mean = _typical(np.concatenate(known))
        whole += rate * mean
        drawn = (np.concatenate([known[place] for place in draw]) for draw in draws)
        totals += rate * np.array([_typical(each) if len(each) else mean for each in drawn])
    return MixSeconds(whole / weight, tuple(float(total / weight) for total in totals))


def _typical(seconds: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    """The mean of all but the slowest."""
    kept = max(len(seconds) - int(len(seconds) * SLOWEST), 1)
    return float(np.partition(seconds, kept - 1)[:kept].mean())


def _interval(values: Sequence[float]) -> Interval:
    low, high = np.quantile(np.asarray(values), (0.025, 0.975))
    return Interval(float(low), float(high))
