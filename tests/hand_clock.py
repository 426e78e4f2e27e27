"""A clock that goes only when somebody sleeps, for what is about time and not about this machine."""

from __future__ import annotations


class HandClock:
    """Stands for the module `time`, or for single functions of it."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        """The moment it shows."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Go on."""
        self.now += seconds
