"""What a workload of the exam is examined under: how often it writes, how much data there is, how small the cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

SWEEPS = ("writes", "data", "cache")
WRITES = (10.0, 100.0)
DATA = (10.0,)
CACHE_RATIOS = (0.2, 5.0)


@dataclass(frozen=True, slots=True)
class Variation:
    """Times the stated rates of writes, times the stated rows, and bytes of data for a byte of cache (None: the server's own)."""

    writes: float = 1.0
    scale: float = 1.0
    cache_ratio: float | None = None

    def __str__(self) -> str:
        parts = (
            f"writes × {self.writes:g}" if self.writes != 1 else "",
            f"data × {self.scale:g}" if self.scale != 1 else "",
            f"data ÷ cache {self.cache_ratio:g}" if self.cache_ratio is not None else "",
        )
        return ", ".join(part for part in parts if part) or "as stated"


def variations(base: Variation, sweeps: Sequence[str]) -> tuple[Variation, ...]:
    """`base`, and for each sweep `base` with one thing changed."""
    found = [base]
    if "writes" in sweeps:
        found += [replace(base, writes=base.writes * times) for times in WRITES]
    if "data" in sweeps:
        found += [replace(base, scale=base.scale * times) for times in DATA]
    if "cache" in sweeps:
        found += [replace(base, cache_ratio=ratio) for ratio in CACHE_RATIOS]
    return tuple(dict.fromkeys(found))
