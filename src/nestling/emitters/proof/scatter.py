"""Predicted and measured times: a point for each statement of each design, on two logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from nestling.ir.words.notebook import plain
from nestling.ir.words.proof_words import milliseconds

WIDTH, TALL = 480, 400
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 12, 46


@dataclass(frozen=True, slots=True)
class ScatterPoint:
    """Predicted and measured seconds, a title, and the class of its design."""

    predicted: float
    measured: float
    title: str
    kind: str


def scatter(points: Sequence[ScatterPoint]) -> str:
    """The drawing; empty without points. The line is where both agree, the band where they are less than twice apart."""
    known = [each for each in points if each.predicted > 0 and each.measured > 0]
    if not known:
        return ""
    every = [value for each in known for value in (each.predicted, each.measured)]
    low, high = math.floor(math.log10(min(every))), math.ceil(math.log10(max(every)))
    axes = _Axes(low, max(high, low + 1))
    band = "".join(axes.line(factor, "half" if factor != 1 else "same") for factor in (0.5, 1.0, 2.0))
    dots = "".join(axes.dot(each) for each in known)
    return (
        f'<svg class="scatter" viewBox="0 0 {WIDTH} {TALL}" role="img" aria-label="predicted and'
        f' measured">{axes.grid()}{band}{dots}</svg>'
    )


@dataclass(frozen=True, slots=True)
class _Axes:
    """Powers of ten of seconds at both ends of both axes."""

    low: int
    high: int

    def x(self, seconds: float) -> float:
        return LEFT + (math.log10(seconds) - self.low) / (self.high - self.low) * (WIDTH - LEFT - RIGHT)

    def y(self, seconds: float) -> float:
        return TALL - BOTTOM - (math.log10(seconds) - self.low) / (self.high - self.low) * (TALL - TOP - BOTTOM)

    def grid(self) -> str:
        """Lines at powers of ten, with their numbers, and the names of the axes."""
        parts = []
        for power in range(self.low, self.high + 1):
            x, y, number = self.x(10.0**power), self.y(10.0**power), milliseconds(10.0**power)
            parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{TALL - BOTTOM}"/>')
            parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
            parts.append(f'<text x="{x:.1f}" y="{TALL - BOTTOM + 16}" text-anchor="middle">{number}</text>')
            parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{number}</text>')
        middle = (TOP + TALL - BOTTOM) / 2
        parts.append(f'<text x="{(LEFT + WIDTH) / 2}" y="{TALL - 8}" text-anchor="middle">predicted, ms</text>')
        parts.append(
            f'<text x="14" y="{middle}" text-anchor="middle" transform="rotate(-90 14 {middle})">measured, ms</text>'
        )
        return "".join(parts)

    def line(self, factor: float, kind: str) -> str:
        """The line where the measured time is this multiple of the predicted one, within the axes."""
        first, last = 10.0**self.low * max(1.0, 1 / factor), 10.0**self.high * min(1.0, 1 / factor)
        x1, x2, y1, y2 = self.x(first), self.x(last), self.y(first * factor), self.y(last * factor)
        return f'<line class="{kind}" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>'

    def dot(self, point: ScatterPoint) -> str:
        """A point with a tooltip."""
        x, y = self.x(point.predicted), self.y(point.measured)
        return (
            f'<circle class="{point.kind}" cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{plain(point.title)}</title></circle>'
        )
