"""How many documents to compare with one command: as many as take about so long, fewer after one has run out of time."""

from __future__ import annotations

from dataclasses import dataclass

FIRST = 2_000
MOST = 200_000
GROWTH = 4
"""At most so many times more than before."""


@dataclass(slots=True)
class Pace:
    """`aim_seconds`: how long a command should take; a tenth of what it is given, so that slow ranges still end."""

    aim_seconds: float
    documents: int = FIRST

    def took(self, seconds: float) -> None:
        """Take more or fewer next time."""
        factor = min(self.aim_seconds / max(seconds, 1e-3), GROWTH)
        self.documents = max(1, min(int(self.documents * factor), MOST))

    def too_slow(self) -> bool:
        """Take far fewer; False where there is nothing less to take."""
        if self.documents == 1:
            return False
        self.documents = max(1, self.documents // 16)
        return True
