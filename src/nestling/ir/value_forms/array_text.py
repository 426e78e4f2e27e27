"""Arrays as PostgreSQL writes them in a text: `{1,2}`, `{"with, comma",NULL}`."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PLAIN = re.compile(r"[A-Za-z0-9_.:+-]+", re.ASCII)
_ITEM = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",{}\\](?:[^",{}\\]*[^\s",{}\\])?))\s*(,|\Z)""", re.DOTALL)


def read_array(text: str) -> list[str | None]:
    """The items of an array of one dimension, None for NULL; raises `ValueError` for any other text."""
    text = text.strip()
    if not (text.startswith("{") and text.endswith("}")):
        raise ValueError("an array must be written in braces")
    inside, place = text[1:-1], 0
    found: list[str | None] = []
    while inside.strip():
        item = _ITEM.match(inside, place)
        if item is None:
            raise ValueError("the items of a one-dimensional array must be separated by commas")
        quoted, plain, after = item.groups()
        known = re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL) if quoted is not None else plain
        found.append(None if quoted is None and plain.upper() == "NULL" else known)
        place = item.end()
        if not after:
            break
    return found


def array_text(items: Iterable[str | None]) -> str:
    """An array of one dimension as PostgreSQL reads it; None is NULL."""
    return "{" + ",".join("NULL" if item is None else _quoted(item) for item in items) + "}"


def _quoted(item: str) -> str:
    if _PLAIN.fullmatch(item) and item.upper() != "NULL":
        return item
    return '"' + item.replace("\\", "\\\\").replace('"', '\\"') + '"'
