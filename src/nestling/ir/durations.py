"""Times as people read them, and the work a workload makes of them."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """A time in the unit that reads best: `1.52 s`, `38.2 ms`, `410 µs`."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if abs(seconds) >= size:
            return f"{seconds / size:,.3g} {unit}"
    return f"{seconds * 1e9:,.3g} ns"


def work_rate(seconds: float) -> str:
    """Work for each second of the workload, in milliseconds whatever the size, so that numbers compare: `4,597 ms/s`."""
    milliseconds = seconds * 1e3
    if 0 < abs(milliseconds) < 1e-3:
        return "under 0.001 ms/s"
    return f"{milliseconds:,.0f} ms/s" if abs(milliseconds) >= 100 else f"{milliseconds:.3g} ms/s"


def share_text(part: float) -> str:
    """A share as a percentage; of very small ones only that they are, of very large ones how many times the whole."""
    if part >= 10:
        return f"{part:,.0f} times the whole"
    return f"{part:.2%}" if part >= 1e-4 or not part else "under 0.01%"
