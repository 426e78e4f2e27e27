"""File names for collections of any name."""

from __future__ import annotations

import re
from collections.abc import Iterable

from nestling.ir.free_names import free_name

_UNSAFE = re.compile(r"[^\w\-. ]")
_LONGEST = 60  # characters; of four bytes each they stay within the usual 255 bytes


def file_names(names: Iterable[str]) -> dict[str, str]:
    """A safe file name, without an ending, for each name; no two equal even where the file system ignores case."""
    chosen: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        stem = _UNSAFE.sub("_", name)[:_LONGEST].strip(". ") or "_"
        candidate = free_name(stem, lambda name: name.casefold() in taken, "-")
        taken.add(candidate.casefold())
        chosen[name] = candidate
    return chosen
