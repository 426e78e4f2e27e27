"""How much is measured."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effort:
    """`seconds` of measuring in all, in `rounds` after one to warm up; `checks` executions of each statement side by side.

    `source_answers` executions of each read are compared with the source's answers, in `source_seconds` at most.
    `open_seconds` for each rival in the open loop, with `users` at once; 0 leaves it out. `clients` share the closed loop.
    `within_seconds` of the start the rounds are over, though fewer than asked for are done, on a machine that is busy.
    `made_rows`: no more are made up where nobody says how many (`--scale`).
    `cache_ratio`: bytes of the chosen design's data and indexes for a byte of the server's cache (None: its own cache).
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
        """How long warming up may take, where each statement does not need longer for one execution on each rival."""
        return max(self.seconds / 4.0, 1.0)

    @property
    def patience_seconds(self) -> float:
        """How long one execution of a rival may take that need not, for the rounds to be over in time."""
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
