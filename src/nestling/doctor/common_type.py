"""Which type the values of a field of several types can all be converted to, so that each keeps its worth."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from nestling.doctor.converting import number
from nestling.ir.facts import Path
from nestling.ir.facts.path import NUMBERS

_BY_TEXT = ("date", "objectId", "number")
"""Types whose texts are converted to them, the preferred first."""
_AS_TEXT = frozenset({"number", "bool", "objectId"})
"""Types whose values are one text each; a date has many."""


def one_type(path: Path, kinds: Mapping[str, int]) -> str:
    """The type to convert the others to; empty where none takes any of them. `kinds`: counts by type, the most frequent first.

    A type that takes all values goes before the most frequent one, which may take some; but texts that are in the majority, or
    digits behind a zero, are no numbers, and become none. A number is no date: it does not say whether it counts seconds or
    milliseconds.
    """
    main = next(iter(kinds))
    targets = [kind for kind in _BY_TEXT if kind in kinds and not (kind == "number" and main == "string")]
    if "string" in kinds and (main == "string" or "code" in dict(path.forms)):
        targets.append("string")
    for target in targets:
        if all(_taken(path, kind, target, count) == count for kind, count in kinds.items() if kind != target):
            return target
    return main if all(_taken(path, kind, main, count) for kind, count in kinds.items() if kind != main) else ""


def types_after(path: Path, kinds: Collection[str], target: str) -> tuple[str, ...]:
    """The types of the field once values of `kinds` are converted, as validators name them, and those that may stay."""
    found = dict.fromkeys("number" if name in NUMBERS else name for name, _ in path.types)
    stay = [
        kind
        for kind in found
        if kind not in kinds or _taken(path, kind, target, _times(path, kind)) < _times(path, kind)
    ]
    return tuple(dict.fromkeys((*stay, target)))


def _times(path: Path, kind: str) -> int:
    return path.count(*NUMBERS) if kind == "number" else path.count(kind)


def _taken(path: Path, kind: str, target: str, count: int) -> int:
    """How many of the values of a type the server converts to another without changing what they say."""
    if kind == "string":
        return min(_texts(path, target), count)
    if target == "string":
        return count if kind in _AS_TEXT else 0
    return count if (kind, target) == ("bool", "number") else 0


def _texts(path: Path, target: str) -> int:
    """How many texts are values of another type; numbers are those that are written as a number is."""
    kind = target if target != "number" else "double" if number(path) == "double" else "decimal"
    return dict(path.forms).get(kind, 0) if target in _BY_TEXT else 0


def texts_left(path: Path, target: str, texts: int) -> tuple[int, int]:
    """How many of so many texts stay: numbers that would be written otherwise, and what is no value of the type at all."""
    made = min(_texts(path, target), texts)
    alike = min(max(dict(path.forms).get(target, 0), made), texts)
    return alike - made, texts - alike
