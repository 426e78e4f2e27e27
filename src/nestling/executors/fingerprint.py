"""A fingerprint of a bag of rows: their number, and sums of their hashes, independent of their order.

Rows are divided into partitions by their hash, so that if two bags differ, only a few rows need to be read again. With a
128-bit hash per row, two different rows count as equal with a probability of 1 in 10^38; sums (unlike xor) detect duplicates.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

PARTITIONS = 16_384
DIGEST_BYTES = 16

RawRow = bytes | memoryview


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Rows and, per partition, the sum of their hashes."""

    rows: int
    sums: tuple[int, ...]

    def differing(self, other: Fingerprint) -> frozenset[int]:
        """The partitions in which the two bags are not the same."""
        if self.sums == other.sums:  # as nearly always, and seen at once
            return frozenset()
        pairs = enumerate(zip(self.sums, other.sums, strict=True))
        return frozenset(number for number, (mine, theirs) in pairs if mine != theirs)


def fingerprint(rows: Iterable[RawRow]) -> Fingerprint:
    """The fingerprint of a stream of rows."""
    sums, count, number = [0] * PARTITIONS, 0, int.from_bytes
    for row in rows:
        digest = number(blake2b(row, digest_size=DIGEST_BYTES).digest(), "little")
        sums[digest % PARTITIONS] += digest
        count += 1
    return Fingerprint(count, tuple(sums))


def partition(row: RawRow) -> int:
    """The partition a row belongs to."""
    return int.from_bytes(blake2b(row, digest_size=DIGEST_BYTES).digest(), "little") % PARTITIONS
