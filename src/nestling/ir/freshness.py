"""How far behind its source a copy or computed value may be, from strongest to weakest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from math import inf

from nestling.common.errors import InputError, Problem, unknown
from nestling.ir.time_units import SHORT_UNITS, seconds_of


class Level(StrEnum):
    """The five levels, strongest first."""

    SAME_DOCUMENT = "same-document"
    TRANSACTION = "transaction"
    ASYNC = "async"
    SCHEDULED = "scheduled"
    SNAPSHOT = "snapshot"


WRITTEN_AT_ONCE = (Level.SAME_DOCUMENT, Level.TRANSACTION, Level.SNAPSHOT)
"""Levels at which a value exists as soon as the document does; with the others it may be written later."""

_TEXT_FORM = re.compile(r"^\s*([a-z-]+)\s*(?:\(\s*([-+0-9.eE]+)\s*([a-zA-Z]+)\s*\))?\s*$")
_DURATION = re.compile(r"\s*(async|scheduled)\s*\((.*)\)\s*")
_TIMED = (Level.ASYNC, Level.SCHEDULED)


@dataclass(frozen=True, slots=True)
class Freshness:
    """A level, with the bound (`async(5s)`) or the period (`scheduled(1h)`) in seconds if the level has one."""

    level: Level
    seconds: float | None = None

    def __post_init__(self) -> None:
        if (self.seconds is not None) != (self.level in _TIMED):
            what = f"freshness `{self.level}`: async and scheduled need a time, other levels take none"
            raise InputError(Problem(what=what, next_move="write `async(5s)` or `scheduled(1h)`"))
        if self.seconds is not None and not 0 < self.seconds < inf:
            raise InputError(
                Problem(what=f"freshness `{self.level}` needs a time above 0, not {self.seconds:g} seconds")
            )

    @property
    def is_left(self) -> bool:
        """Whether the background sync keeps it, not the write."""
        return self.level in _TIMED

    @property
    def weakness(self) -> tuple[int, float]:
        """Orders freshnesses from the strongest on."""
        return list(Level).index(self.level), self.seconds or 0.0

    def __str__(self) -> str:
        if self.seconds is None:
            return str(self.level)
        for unit in reversed(SHORT_UNITS):  # the largest unit that reads back as the same time
            text = f"{self.seconds / SHORT_UNITS[unit]:g}"
            if float(text) * SHORT_UNITS[unit] == self.seconds and float(text) >= 1:
                return f"{self.level}({text}{unit})"
        return f"{self.level}({self.seconds!r}s)"

    @staticmethod
    def parse(text: str) -> Freshness:
        """Read the text form; raises `InputError`."""
        match = _TEXT_FORM.match(text)
        seconds = seconds_of(match[3]) if match is not None and match[3] else None
        if (match is None or (match[3] and seconds is None)) and (timed := _DURATION.fullmatch(text)):
            what = f"freshness `{text}`: `{timed[2]}` is not a time such as `5s`"
            raise InputError(Problem(what=what, known=f"its unit is one of {', '.join(SHORT_UNITS)}"))
        if match is None or match[1] not in set(Level):
            raise InputError(unknown("freshness", match[1] if match else text, Level))
        try:
            return Freshness(Level(match[1]), float(match[2]) * seconds if seconds is not None else None)
        except ValueError:
            raise InputError(Problem(what=f"freshness `{text}`: `{match[2]}` is not a number")) from None


SAME_DOCUMENT, TRANSACTION, SNAPSHOT = (
    Freshness(level) for level in (Level.SAME_DOCUMENT, Level.TRANSACTION, Level.SNAPSHOT)
)
