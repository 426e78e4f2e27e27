"""Confidence intervals: what a sample says about the whole."""

from __future__ import annotations

from math import sqrt

Z_95 = 1.959964
"""Standard deviations that hold 95 % of a normal distribution."""


def interval(count: int, of: int) -> tuple[float, float]:
    """The share count/of with 95 % confidence (Wilson), when `of` are a random sample."""
    if of <= 0:
        return 0.0, 1.0
    share, spread = count / of, Z_95**2 / of
    middle = (share + spread / 2) / (1 + spread)
    half = Z_95 * sqrt(share * (1 - share) / of + spread / (4 * of)) / (1 + spread)
    return max(middle - half, 0.0), min(middle + half, 1.0)
