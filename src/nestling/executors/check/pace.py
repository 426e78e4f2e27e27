"""How many documents to compare with one command: as many as take about so long, fewer after one has run out of time."""

from __future__ import annotations

from dataclasses import dataclass

FIRST_CHUNK = 2_000
LARGEST_CHUNK = 1_000_000
GROWTH = 4
"""At most so many times more than before."""


@dataclass(slots=True)
class CommandPace:
    """`aim_seconds`: how long a command should take, a part of what it is given, so that slow ranges still end.

    `least`: no fewer, as each command also does other work.
    """

    aim_seconds: float
    documents: int = FIRST_CHUNK
    least: int = 1

    def took(self, seconds: float) -> None:
        """Take more or fewer next time."""
        factor = min(self.aim_seconds / max(seconds, 1e-3), GROWTH)
        self.documents = max(self.least, min(int(self.documents * factor), LARGEST_CHUNK))

    def too_slow(self) -> bool:
        """Take far fewer; False where there is nothing less to take."""
        if self.documents <= self.least:
            return False
        self.documents = max(self.least, self.documents // 16)
        return True
