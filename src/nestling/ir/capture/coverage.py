"""How much was captured, as it was counted: what may be concluded from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from nestling.ir.capture.capture import Capture, CaptureKind
from nestling.ir.capture.shape import CommandShape

LEAST_READS = 20
"""Executions of reads below which nobody knows what is read."""


@dataclass(frozen=True, slots=True)
class Watched:
    """Executions counted, reads among them, within `seconds`; `slow_only`: what is fast was not noted."""

    statements: int
    reads: int
    seconds: float
    slow_only: bool

    @property
    def tells_reads(self) -> bool:
        """Whether it shows what is read: an index that is of use makes reads fast, and those are not in a log of slow ones."""
        return self.reads >= LEAST_READS and not self.slow_only


def watched(captures: Sequence[Capture]) -> Watched:
    """The executions that captures counted; if two kinds of capture saw a statement, the one that saw more counts."""
    by_kind: dict[CaptureKind, Counter[CommandShape]] = {}
    for capture in captures:
        for seen in capture.seen:
            by_kind.setdefault(capture.kind, Counter())[seen.shape] += round(seen.count)
    most: Counter[CommandShape] = Counter()
    for counts in by_kind.values():
        most |= counts
    with_any = [capture for capture in captures if capture.seen]
    return Watched(
        most.total(),
        sum(times for shape, times in most.items() if shape.operation.reads),
        max((capture.window_seconds for capture in with_any), default=0.0),
        slow_only=bool(with_any) and all(capture.slow_only for capture in with_any),
    )
