"""Plots of one row a value: the label and the number are text that wraps on a phone, only the strip between them is drawn.

A strip is an SVG stretched to its place, so it holds nothing but upright lines and boxes, which stretching does not harm.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nestling.ir.words.notebook import plain

HEIGHT = 20


@dataclass(frozen=True, slots=True)
class Scale:
    """Places a number on a strip of 1000 units, linear or logarithmic."""

    low: float
    high: float
    log: bool = False

    def at(self, value: float) -> float:
        """Units from the left, within the strip."""
        low, high, number = self.low, self.high, value
        if self.log:
            low, high, number = (math.log10(max(each, 1e-12)) for each in (low, high, number))
        return 1000 * min(max((number - low) / (high - low if high > low else 1.0), 0.0), 1.0)


def box(scale: Scale, low: float, high: float, kind: str, *, top: float = 3, height: float = 14) -> str:
    """A filled rectangle, as SVG."""
    left, right = scale.at(low), scale.at(high)
    return f'<rect class="{kind}" x="{left:.1f}" y="{top:g}" width="{max(right - left, 1):.1f}" height="{height:g}"/>'


def tick(scale: Scale, value: float, kind: str, *, top: float = 3, height: float = 14) -> str:
    """A vertical line, as SVG."""
    place = scale.at(value)
    return f'<line class="{kind}" x1="{place:.1f}" x2="{place:.1f}" y1="{top:g}" y2="{top + height:g}"/>'


def whisker(scale: Scale, low: float, high: float) -> str:
    """An interval: a line between two ticks."""
    left, right = scale.at(low), scale.at(high)
    line = f'<line class="whisker" x1="{left:.1f}" x2="{right:.1f}" y1="10" y2="10"/>'
    return line + tick(scale, low, "whisker", top=6, height=8) + tick(scale, high, "whisker", top=6, height=8)


def strip(marks: Iterable[str]) -> str:
    """The drawing of one row."""
    inside = "".join(marks)
    return f'<svg viewBox="0 0 1000 {HEIGHT}" preserveAspectRatio="none" aria-hidden="true">{inside}</svg>'


def rows(each: Sequence[tuple[str, str, str]]) -> str:
    """Rows of (label, strip, number); labels and numbers are text."""
    cells = "".join(
        f'<div class="label">{plain(label)}</div><div class="strip">{drawing}</div><div class="value">{plain(number)}</div>'
        for label, drawing, number in each
    )
    return f'<div class="rows">{cells}</div>'
