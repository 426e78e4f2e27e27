"""Reports of a load, while it runs and at its end."""

from __future__ import annotations

import resource
import sys
from collections.abc import Mapping
from dataclasses import dataclass

PEAK_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024  # getrusage counts kilobytes, macOS bytes


@dataclass(frozen=True, slots=True)
class LoadProgress:
    """How far a load is: `rows` of `total_rows` placed after `seconds`, now writing `documents` into `store`.

    `resumed_rows` of them were placed before this run.
    """

    store: str
    documents: int
    rows: int
    total_rows: int
    seconds: float
    resumed_rows: int = 0

    @property
    def rows_per_second(self) -> float:
        """Rows placed a second, over this run."""
        return (self.rows - self.resumed_rows) / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """The time left at this rate; None before there is a rate."""
        rate = self.rows_per_second
        return max(self.total_rows - self.rows, 0) / rate if rate > 0 else None


@dataclass(frozen=True, slots=True)
class LoadReport:
    """The result of a load: rows of each entity (in the source, loaded), documents in each collection, time and peak memory.

    `notes`: sentences about values that were stored as found, because they do not fit their attribute's type.
    """

    entities: Mapping[str, tuple[int, int]]
    documents: Mapping[str, int]
    seconds: float
    peak_bytes: int
    notes: tuple[str, ...] = ()


def peak_bytes() -> int:
    """The most memory this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * PEAK_UNIT_BYTES
