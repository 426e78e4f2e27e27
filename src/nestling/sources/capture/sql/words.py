"""Names and parameters in SQL texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count

from sqlglot.tokens import Tokenizer

from nestling.ir.capture.samples import NEXT_OF_ITS_PLACE
from nestling.ir.free_names import free_name
from nestling.ir.text.sql_quotes import sql_name

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = frozenset(word.lower() for word in Tokenizer.KEYWORDS if word.isalpha())
_UNNAMED = re.compile(r"\W+")


def quoted(name: str) -> str:
    """An identifier as SQL writes it."""
    if _PLAIN.fullmatch(name) and name.lower() not in _RESERVED:
        return name
    return sql_name(name)


def plain(name: str) -> str:
    """A name of letters, digits and underscores."""
    found = _UNNAMED.sub("_", name).strip("_")
    return found if found and not found[0].isdigit() else f"x{found}"


@dataclass(frozen=True, slots=True)
class Asked:
    """A parameter that an attribute is compared with, and where the shape says so."""

    parameter: str
    attribute: str
    path: str
    operator: str


@dataclass(slots=True)
class Parameters:
    """The parameters of a statement: unique names, sample values by the place of the shape they stand at, and the comparisons.

    `within`: the path of the array whose elements are being said, which their places begin with.
    """

    known: Mapping[str, object] = field(default_factory=dict)
    samples: dict[str, object] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    within: str = ""
    _taken: set[str] = field(default_factory=set)
    _used: set[str] = field(default_factory=set)

    def new(self, name: str, place: str = "") -> str:
        """`:name`, or `:name_2` when that is taken; a place may lack the array it lies in."""
        found = free_name(plain(name), self._taken)
        self._taken.add(found)
        whole = self._known_place(place) if place else None
        if whole is not None:
            again = f"{whole}{NEXT_OF_ITS_PLACE}"
            self.samples[found] = self.known[again if whole in self._used and again in self.known else whole]
            self._used.add(whole)
        return f":{found}"

    def listed(self, name: str, place: str, number: int) -> list[str]:
        """So many parameters for the values of a list; if fewer values are known, the last one is repeated."""
        last = max(self.sampled(place) - 1, 0)
        return [self.new(name, f"{place} {min(each, last)}") for each in range(number)]

    def sampled(self, place: str) -> int:
        """The number of values of a list that are known."""
        return next(each for each in count() if self._known_place(f"{place} {each}") is None)

    @contextmanager
    def inside(self, array: str) -> Iterator[None]:
        """A context in which paths are relative to the elements of this array."""
        before = self.within
        self.within = f"{before}.{array}" if before else array
        yield
        self.within = before

    def _known_place(self, place: str) -> str | None:
        exact = (f"{self.within}.{place}", place) if self.within else (place,)
        lacking = (known for known in self.known if known.endswith(f".{place}") and not known.startswith("$pull."))
        return next((each for each in exact if each in self.known), next(lacking, None))

    def compared(self, attribute: str, path: str, operator: str, *, is_value: bool = True) -> str:
        """`:name` for what an attribute is compared with; `is_value`: the shape has a value there, not a pattern."""
        found = self.new(attribute, f"{path} {operator}" if is_value else "")
        self.asked.append(Asked(found.removeprefix(":"), attribute, path, operator))
        return found
