"""How full buckets are; the search for a design and the price of a compiled statement use the same numbers."""

from __future__ import annotations

from math import ceil


def rows_in_bucket(rows_of_series: float, limit: float) -> float:
    """Rows in one bucket on average, where a series has so many: as many buckets as that takes share them."""
    return max(rows_of_series / max(ceil(rows_of_series / limit), 1), 1.0)
