"""Which type the values of a field of several types can all be converted to, so that each keeps its worth."""

from __future__ import annotations

from collections.abc import Mapping

from nestling.ir.facts import Path

_BY_TEXT = ("date", "objectId", "number")
"""Types whose texts are converted to them, the preferred first."""
_AS_TEXT = frozenset({"number", "bool", "objectId"})
"""Types whose values are one text each; a date has many."""


def one_type(path: Path, kinds: Mapping[str, int]) -> str:
    """The type to convert the others to; empty where none takes any of them. `kinds`: counts by type, the most frequent first.

    A type that takes all values goes before the most frequent one, which may take some. A number is no date: it does not say
    whether it counts seconds or milliseconds.
    """
    main = next(iter(kinds))
    for target in (*(kind for kind in _BY_TEXT if kind in kinds), *(["string"] if main == "string" else [])):
        if all(_taken(path, kind, target, count) == count for kind, count in kinds.items() if kind != target):
            return target
    return main if all(_taken(path, kind, main, count) for kind, count in kinds.items() if kind != main) else ""


def _taken(path: Path, kind: str, target: str, count: int) -> int:
    """How many of the values of a type the server converts to another without changing what they say."""
    if kind == "string":
        return min(dict(path.forms).get(target, 0), count) if target in _BY_TEXT else 0
    if target == "string":
        return count if kind in _AS_TEXT else 0
    return count if (kind, target) == ("bool", "number") else 0
