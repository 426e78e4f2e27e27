"""Quantiles of values that were counted."""

from __future__ import annotations

from collections.abc import Mapping


def quantile(times: Mapping[int, int], share: float) -> int:
    """The smallest value that at least this share of all values does not exceed, given counts by value; 0 for none."""
    wanted, seen = share * sum(times.values()), 0
    for value, count in sorted(times.items()):
        seen += count
        if count and seen >= wanted:
            return value
    return max(times, default=0)
