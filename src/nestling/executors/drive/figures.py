"""Quantiles of latencies, and intervals by the bootstrap: the spread of what other draws of the same rounds would have given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nestling.ir.proof import Interval, Latency

RESAMPLES = 2_000


def latency(seconds: Sequence[float]) -> Latency | None:
    """Its quantiles; None of nothing."""
    if not seconds:
        return None
    p50, p95, p99 = np.quantile(np.asarray(seconds), (0.5, 0.95, 0.99))
    return Latency(float(p50), float(p95), float(p99), float(np.mean(seconds)), len(seconds))


def bootstrap(values: Sequence[float], *, seed: int) -> tuple[float, Interval]:
    """The median of values, one from each round, and where it lies in 95 of 100 draws of as many rounds."""
    known = np.asarray(values, dtype=float)
    chance = np.random.default_rng(seed)
    medians = np.median(known[chance.integers(0, len(known), (RESAMPLES, len(known)))], axis=1)
    low, high = np.quantile(medians, (0.025, 0.975))
    return float(np.median(known)), Interval(float(low), float(high))
