"""How often a statement runs, as people write it: `900/s`, `0.5/s`, `30/min`, `2/day`."""

from __future__ import annotations

import re

_SECONDS = {"s": 1.0, "sec": 1.0, "second": 1.0, "min": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0, "d": 86400.0,
            "day": 86400.0, "week": 604800.0, "month": 2629800.0}  # fmt: skip
_RATE = re.compile(r"^\s*(\d[\d,_]*(?:\.\d+)?(?:e[-+]?\d+)?|\.\d+)\s*(?:/|per)\s*([a-z]+)(?![\w/])", re.IGNORECASE)


def read_rate(text: str) -> float | None:
    """Executions a second, whatever follows the rate left aside; None when there is no rate to read."""
    match = _RATE.match(text)
    if match is None or match[2].lower() not in _SECONDS:
        return None
    return float(match[1].replace(",", "").replace("_", "")) / _SECONDS[match[2].lower()]
