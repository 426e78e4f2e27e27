"""Unique indexes over `lower(column)` in PostgreSQL and SQLite, which make logins unique regardless of case."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nestling.sources.tables import PartialIndex

_NAME = r'(?:"((?:[^"]|"")+)"|([A-Za-z_][A-Za-z0-9_$]*))'
_TYPE = r"(?:::(?:text|character varying|varchar|citext)(?:\(\d+\))?)?"
_LOWER = re.compile(rf"lower\s*\(\s*\(*\s*{_NAME}\s*\)*{_TYPE}\s*\)*", re.IGNORECASE)
_PLAIN = re.compile(_NAME)


def lower_index(keys: Sequence[str], where: str, name: str) -> PartialIndex | None:
    """The index over these keys, each a column or `lower()` of one; None if a key is anything else, or none is `lower()`."""
    columns, lower = list[str](), list[str]()
    for key in keys:
        in_lower = _LOWER.fullmatch(key.strip())
        found = in_lower or _PLAIN.fullmatch(key.strip())
        if found is None:
            return None
        columns.append((found[1] or "").replace('""', '"') or found[2])
        lower += columns[-1:] if in_lower else []
    return PartialIndex(tuple(columns), where, name, tuple(lower), of_all=not where) if lower else None
