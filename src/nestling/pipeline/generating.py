"""Generating rows that follow the statistics, at any scale."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nestling.ir.reading import Reading
from nestling.ir.watching import Watch
from nestling.pipeline.arguments import checks_arguments

if TYPE_CHECKING:
    from nestling.sources.generated import StatisticsDifference


def scaled_reading(reading: Reading, scale: float) -> Reading:
    """The reading of `scale` times as much data: more rows, with fan-outs and rates as they are."""
    from dataclasses import replace

    from nestling.sources.generated import scaled

    return replace(reading, statistics=scaled(reading.statistics, scale)) if scale != 1 else reading


@checks_arguments
def generate(reading: Reading, path: Path | str, *, seed: int = 0, watch: Watch | None = None) -> str:
    """Write rows that follow the reading's statistics to a new SQLite database at `path`; return its address.

    Raises `SourceError` if there are rows in it already.
    """
    from nestling.sources.front import open_target
    from nestling.sources.generated import generate as made

    address = f"sqlite:///{path}"
    told = (lambda entity, done, total: watch(f"generating {entity}", done, total)) if watch is not None else None
    made(reading.model, reading.statistics, open_target(address), seed=seed, progress=told)
    return address


def check_generated(reading: Reading, address: Path | str) -> tuple[StatisticsDifference, ...]:
    """Return how the rows at `address` differ from the reading's statistics."""
    from nestling.sources.front import read_source
    from nestling.sources.generated import check_generated as check

    found = read_source(address)
    return check(reading.model, reading.statistics, found.model, found.statistics)
