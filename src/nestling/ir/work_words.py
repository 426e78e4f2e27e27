"""The work of a workload, and shares of it, as people read them."""

from __future__ import annotations


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
