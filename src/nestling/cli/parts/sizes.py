"""Sizes as people give them: 500MB, 16GB."""

from __future__ import annotations

import re

UNITS = {"B": 1.0, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
"""Bytes of each unit."""
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?b)", re.IGNORECASE)


def bytes_of(text: str) -> float | None:
    """Convert `500MB` to bytes. None if the text is not a size or means less than a byte."""
    match = _SIZE.fullmatch(text.strip())
    found = float(match[1]) * UNITS[match[2].upper()] if match else 0.0
    return found if found >= 1 else None
