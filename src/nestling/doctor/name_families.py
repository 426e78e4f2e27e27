"""Families of field names that differ only in a number."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from nestling.ir.facts import ANY_KEY, ELEMENT, CollectionFacts, PathFacts, steps_text

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class NameFamily:
    """Names at one place, below the steps `above`, that are `stem` with different numbers."""

    above: tuple[str, ...]
    stem: str
    members: tuple[PathFacts, ...]

    @property
    def text(self) -> str:
        """The place of all of them, for people."""
        return steps_text((*self.above, self.stem))


def families(collection: CollectionFacts) -> Iterator[NameFamily]:
    """Names at one place that differ only in a number, outermost places first."""
    groups: dict[tuple[tuple[str, ...], str], list[PathFacts]] = defaultdict(list)
    for path in collection.paths:
        name = path.steps[-1]
        if name not in (ELEMENT, ANY_KEY) and _DIGITS.search(name):
            groups[path.steps[:-1], _DIGITS.sub("#", name)].append(path)
    yield from (NameFamily(above, stem, tuple(members)) for (above, stem), members in sorted(groups.items()))
