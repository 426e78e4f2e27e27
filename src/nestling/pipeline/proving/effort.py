"""How much is measured."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effort:
    """`seconds` of measuring in all, in `rounds` after a warm-up; `checks` executions of each statement side by side.

    `source_answers`: executions of each read whose answers are compared with the source's, in `source_seconds` at most.
    `open_seconds`: for each rival in the open loop, with `users` concurrent users; 0 skips it. `clients`: number of clients
    that share the closed loop. `within_seconds`: the rounds end this long after the start, even if fewer are done on a busy
    machine. `made_rows`: the most rows that are generated without `--scale`. `cache_ratio`: bytes of the chosen design's data
    and indexes per byte of the server's cache (None: leave the cache as it is).
    """

    seconds: float = 120.0
    rounds: int = 30
    checks: int = 3
    source_answers: int = 10
    source_seconds: float = 30.0
    open_seconds: float = 5.0
    users: int = 8
    clients: int = 1
    cache_ratio: float | None = None
    within_seconds: float = math.inf
    made_rows: int = 1_000_000
    seed: int = 0

    @property
    def warming_seconds(self) -> float:
        """How long the warm-up may take, unless one execution of each statement on each rival needs longer."""
        return max(self.seconds / 4.0, 1.0)

    @property
    def patience_seconds(self) -> float:
        """How long one avoidably slow execution of a rival may take, so that the rounds finish in time."""
        return max(self.within_seconds / 6.0, 1.0)


FULL = Effort(within_seconds=210.0)
QUICK = Effort(
    seconds=14.0,
    rounds=15,
    checks=2,
    source_answers=5,
    source_seconds=8.0,
    open_seconds=1.0,
    within_seconds=36.0,
    made_rows=100_000,
)
