"""Progress reports while rows are read."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

REPORT_ROWS = 10_000
"""How many rows lie between two reports: some dozen reports a second."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RowProgress:
    """How far reading is: now at `entity`, `rows` read altogether, of `total_rows` where that is known, after `seconds`."""

    entity: str
    rows: int
    total_rows: int | None
    seconds: float

    @property
    def rows_per_second(self) -> float:
        """Rows read a second."""
        return self.rows / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """The time left at this rate; None if unknown."""
        if self.total_rows is None or not self.rows_per_second:
            return None
        return max(self.total_rows - self.rows, 0) / self.rows_per_second


ReportProgress = Callable[[RowProgress], None]


@dataclass(slots=True)
class RowCounter:
    """Counts rows that pass, and reports now and then."""

    report: ReportProgress | None
    total_rows: int | None = None
    rows: int = 0
    start: float = field(default_factory=time.monotonic)

    def seconds(self) -> float:
        """Time since the start."""
        return time.monotonic() - self.start

    def counted(self, entity: str, rows: Iterable[T]) -> Iterator[T]:
        """Yield the rows unchanged, and count them."""
        for row in rows:
            self.rows += 1
            if self.rows % REPORT_ROWS == 0:
                self.tell(entity)
            yield row
        self.tell(entity)

    def expect(self, more: int) -> None:
        """Add rows that are still to be read to the total."""
        if self.total_rows is not None:
            self.total_rows += more

    def tell(self, entity: str) -> None:
        """Report the progress; rows added since the count increase the total."""
        if self.total_rows is not None:
            self.total_rows = max(self.total_rows, self.rows)
        if self.report is not None:
            self.report(RowProgress(entity, self.rows, self.total_rows, self.seconds()))
