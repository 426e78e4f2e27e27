"""The work of a workload, and shares of it, as people read them."""

from __future__ import annotations

from nestling.ir.quantity_words import short

LEAST_SHARE_AS_FACTOR = 0.5
"""From this share on a saving is expressed as a factor: two savings of structures might add up to more than the whole."""
MANY_TIMES = 1_000
"""Beyond it the number of times says nothing more."""


def work_rate(seconds: float) -> str:
    """Work for each second of the workload, in milliseconds whatever the size, so that numbers compare: `4,597 ms/s`."""
    milliseconds = seconds * 1e3
    if 0 < abs(milliseconds) < 1e-3:
        return "under 0.001 ms/s"
    return f"{short(milliseconds)} ms/s"


def share_text(part: float) -> str:
    """What is saved or costs more, as a share of all: in percent; a large one as how many times as much all then costs."""
    if part > MANY_TIMES:
        return f"over {MANY_TIMES:,} times as much"
    if part > LEAST_SHARE_AS_FACTOR:
        return f"{1 + part:,.0f} times as much" if part >= 10 else f"{1 + part:.2f} times as much"
    return f"{part:.2%}" if abs(part) >= 1e-4 or not part else "under 0.01%"
