"""How full buckets are; the search for a design and the price of a compiled statement use the same numbers."""

from __future__ import annotations

from math import ceil

from nestling.ir.paths.write_path import Constant, FieldMatch, Test
from nestling.ir.primitives import Bucket

SPAN_DAYS = 365.0
"""How many days the rows there are took to come, where nothing says how many come a day."""


def events_in_bucket(
    rows: float, series: float, *, limit: float, window_days: float | None = None, rows_per_day: float | None = None
) -> float:
    """Rows in one bucket on average: what one of so many series has in a window, or in all, in as many pages as that takes."""
    of_series = rows / max(min(series, rows), 1.0)
    if window_days is not None:
        of_series /= windows_of_series(rows, series, window_days=window_days, rows_per_day=rows_per_day)
    return rows_in_bucket(of_series, limit)


def windows_of_series(rows: float, series: float, *, window_days: float, rows_per_day: float | None = None) -> float:
    """In how many windows the rows of one of so many series lie."""
    of_series = rows / max(min(series, rows), 1.0)
    in_window = (rows_per_day or rows / SPAN_DAYS) / max(series, 1.0) * window_days
    return max(of_series / max(in_window, 1.0), 1.0)


def rows_in_bucket(rows_of_series: float, limit: float) -> float:
    """Rows in one bucket on average, where a series has so many: as many buckets as that takes share them."""
    return max(rows_of_series / max(ceil(rows_of_series / limit), 1), 1.0)


def room_in(bucket: Bucket) -> FieldMatch:
    """The condition for a bucket with room for another event."""
    return FieldMatch("count", Constant(bucket.limit), Test.LESS)
