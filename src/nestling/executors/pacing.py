"""Leaves capacity to the other users of a server: rests after each query in proportion to its time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

LONGEST_SECONDS = 5.0
"""The longest rest at once."""
WATCHED_SECONDS = 0.2
"""How long a server's counters are watched to tell whether it is in use."""
LEAST_OPERATIONS = 3
"""Operations of others meanwhile from which on it is."""


@dataclass(slots=True)
class RestingPace:
    """Rests for `rest` times the duration of each query; after the time `until` at most for the same duration.

    `accounted`: the seconds of queries already rested for, and of those rests.
    """

    rest: float = 0.0
    until: float = math.inf
    accounted: float = 0.0

    def after(self, seconds: float) -> None:
        """Rest for a look of so many seconds."""
        if self.rest and seconds > 0:
            times = self.rest if time.monotonic() < self.until else min(self.rest, 1.0)
            rest = min(times * seconds, LONGEST_SECONDS)
            time.sleep(rest)
            self.accounted += seconds + rest

    def timed(self, question: Callable[[], T]) -> T:
        """Return the answer after a rest for the part of the time that was not rested for meanwhile."""
        before, start = self.accounted, time.monotonic()
        try:
            return question()
        finally:
            self.after(time.monotonic() - start - (self.accounted - before))

    def between(self, batches: Iterable[T]) -> Iterator[T]:
        """Yield the batches, with a rest after each for the time of receiving and processing it."""
        start = time.monotonic()
        for batch in batches:
            yield batch
            self.after(time.monotonic() - start)
            start = time.monotonic()


def is_in_use(counters: Callable[[], Mapping[str, float]]) -> bool | None:
    """Whether others use the server, by comparing its `opcounters` twice; None if it does not show them."""
    first = counters()
    time.sleep(WATCHED_SECONDS)
    second = counters()
    if not first or not second:
        return None
    own = 1  # the first look
    return sum(second.values()) - sum(first.values()) - own >= LEAST_OPERATIONS
