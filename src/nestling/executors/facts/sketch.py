"""Distributions and distinct counts in little memory, however many values there are."""

from __future__ import annotations

from hashlib import blake2b

from nestling.ir.facts import Quantiles
from nestling.ir.quantile import quantile

EXACT_BELOW = 128
"""Values below it are counted as they are; above, in buckets 1/64 of their size wide, each of which stands for its largest."""
KEPT_HASHES = 1024
"""Hashes a distinct count keeps: an error of about 3 %."""
_HASHES = 1 << 64
MOST_NEW = 256
"""Different values that wait for their buckets, and different values of a distinct count that are known without a hash."""


SHORT = 64
"""Bytes of a value that may be kept while documents are walked."""


class Histogram:
    """Counts of whole numbers from 0 on. A value is put into its bucket with others of `_new`, as most are there many times."""

    __slots__ = ("_counts", "_largest", "_max", "_new", "_total", "_values")

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}
        self._largest: dict[int, int] = {}
        self._new: dict[int, int] = {}
        self._values, self._total, self._max = 0, 0, 0

    @property
    def count(self) -> int:
        """The number of values counted."""
        self._put()
        return self._values

    @property
    def total(self) -> int:
        """The sum of the values."""
        self._put()
        return self._total

    @property
    def max(self) -> int:
        """The largest value; 0 if there is none."""
        self._put()
        return self._max

    def add(self, value: int, times: int = 1) -> None:
        """Count a value, `times` times."""
        new = self._new
        new[value] = new.get(value, 0) + times
        if len(new) > MOST_NEW:
            self._put()

    def _put(self) -> None:
        for value, times in self._new.items():
            shift = max(value.bit_length() - EXACT_BELOW.bit_length() + 1, 0)
            self._count(value >> shift << shift, times, value)
            self._values += times
            self._total += value * times
            self._max = max(self._max, value)
        self._new.clear()

    def merge(self, other: Histogram) -> None:
        """Add what another has counted."""
        self._put()
        other._put()
        for bucket, times in other._counts.items():
            self._count(bucket, times, other._largest[bucket])
        self._values += other._values
        self._total += other._total
        self._max = max(self._max, other._max)

    def _count(self, bucket: int, times: int, largest: int) -> None:
        self._counts[bucket] = self._counts.get(bucket, 0) + times
        self._largest[bucket] = max(self._largest.get(bucket, 0), largest)

    def quantile(self, share: float) -> float:
        """A value that at least `share` of all do not pass: one that was counted."""
        self._put()
        times = {self._largest[bucket]: times for bucket, times in self._counts.items()}
        return float(quantile(times, share))

    def quantiles(self) -> Quantiles | None:
        """The distribution; None of nothing."""
        if not self.count:
            return None
        middle, high, higher = (self.quantile(share) for share in (0.5, 0.95, 0.99))
        return Quantiles(self.count, self.total / self.count, middle, high, higher, float(self.max))


class DistinctCount:
    """Counts different values by keeping the smallest of their hashes."""

    __slots__ = ("_below", "_first", "_hashes")

    def __init__(self) -> None:
        self._hashes: set[int] = set()
        self._first: set[bytes] = set()
        self._below = _HASHES

    def add(self, value: bytes) -> None:
        """Count a value, unless it was there before."""
        first = self._first
        if value in first:
            return
        if len(first) < MOST_NEW and len(value) <= SHORT:
            first.add(value)
        found = int.from_bytes(blake2b(value, digest_size=8).digest(), "big")
        if found < self._below:
            self._hashes.add(found)
            if len(self._hashes) >= 2 * KEPT_HASHES:
                self._shrink()

    def merge(self, other: DistinctCount) -> None:
        """Add what another has counted."""
        self._below = min(self._below, other._below)
        self._hashes = {each for each in self._hashes | other._hashes if each < self._below}
        if len(self._hashes) >= 2 * KEPT_HASHES:
            self._shrink()

    def _shrink(self) -> None:
        kept = sorted(self._hashes)[: KEPT_HASHES + 1]
        self._below = kept.pop()
        self._hashes = set(kept)

    def estimate(self) -> int:
        """The number of different values; exact below 2,048."""
        return round(len(self._hashes) * (_HASHES / self._below))
