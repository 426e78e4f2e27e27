"""Profiles: the cost of each quantity of work on a server, the source of every number, and its doubt."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite

from nestling.common.errors import InputError, Problem, unknown
from nestling.ir.paths.work import NAMES

UNITS = {
    "round_trips": "s/request",
    "stages": "s/stage",
    "nodes": "s/node",
    "index_seeks": "s/seek",
    "keys": "s/entry",
    "documents": "s/document",
    "scanned": "s/document",
    "read_bytes": "s/byte",
    "sent_bytes": "s/byte",
    "results": "s/document",
    "values": "s/value",
    "tests": "s/predicate",
    "patterns": "s/byte",
    "passed": "s/row",
    "fields": "s/field",
    "elements": "s/element",
    "lookups": "s/query",
    "lookups_beside": "s/query",
    "hashed": "s/row",
    "lookup_stages": "s/stage",
    "grouped": "s/row",
    "groups": "s/group",
    "sorted": "s/comparison",
    "spilled_bytes": "s/byte",
    "changes": "s/change",
    "inserts": "s/document",
    "updates": "s/document",
    "moves": "s/document",
    "deletes": "s/document",
    "written_bytes": "s/byte",
    "rewritten_bytes": "s/byte",
    "index_writes": "s/entry",
    "transactions": "s/transaction",
    "events": "s/event",
    "client_rows": "s/row",
    "cold_bytes": "s/byte",
    "cold_pages": "s/page",
}
"""The unit of each coefficient, by the quantity of `nestling.ir.paths.work.Work` it prices."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """Seconds for one unit of the quantity `name`.

    `source`: the server it was measured on, or the published figure. `doubt`: relative spread, 0.2 for ±20 %; 1 means no better
    than an order of magnitude.
    """

    name: str
    seconds: float
    source: str
    doubt: float

    def __post_init__(self) -> None:
        if self.name not in NAMES:
            raise InputError(unknown("quantity", self.name, NAMES, path=("coefficients",)))
        for what, value in (("seconds", self.seconds), ("doubt", self.doubt)):
            if not isfinite(value) or value < 0:
                problem = f"`{what}` of `{self.name}` is {value}; it must be a number and not below 0"
                raise InputError(Problem(problem, path=("coefficients", self.name, what)))

    @property
    def unit(self) -> str:
        """The unit that `seconds` refers to."""
        return UNITS[self.name]


@dataclass(frozen=True, slots=True)
class Identity:
    """What a profile applies to: server version, storage engine, cache in bytes, and the hardware in words."""

    server: str
    engine: str
    cache_bytes: float
    hardware: str


@dataclass(frozen=True, slots=True)
class Profile:
    """A coefficient for every quantity of work; missing ones are 0. `compression`: bytes on disk per byte of data.

    `measured`: whether the coefficients were measured on the engine that the profile names. Raises `InputError`.
    """

    name: str
    identity: Identity
    coefficients: tuple[Coefficient, ...]
    compression: float = 1.0
    measured: bool = True
    note: str = ""
    _seconds: dict[str, float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        found = {each.name: each.seconds for each in self.coefficients}
        if len(found) < len(self.coefficients):
            raise InputError(Problem(f"profile `{self.name}` gives a coefficient twice", path=("coefficients",)))
        object.__setattr__(self, "_seconds", {name: found.get(name, 0.0) for name in NAMES})

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds per unit, by quantity, in the order of `Work`."""
        return self._seconds

    def coefficient(self, name: str) -> Coefficient:
        """The coefficient of a quantity; raises `KeyError`."""
        return next(each for each in self.coefficients if each.name == name)

    def notes_for(self, server: str, engine: str) -> tuple[str, ...]:
        """A sentence for each difference between the profile's server and this version and engine ("": unknown)."""
        mine = self.identity
        notes = []
        if _series(mine.server) != _series(server):
            notes.append(f"the cost profile `{self.name}` is of MongoDB {mine.server}, the server is {server}")
        if engine and mine.engine.casefold() != engine.casefold():
            notes.append(f"the cost profile `{self.name}` is of the engine {mine.engine}, the server runs {engine}")
        if not self.measured:
            notes.append(f"the cost profile `{self.name}` was not measured: {self.note}")
        return tuple(f"{note}; measure yours: nestling calibrate URI -o profile.yaml" for note in notes)


def _series(version: str) -> tuple[str, ...]:
    return tuple(version.split(".")[:2])
