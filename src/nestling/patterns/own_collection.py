"""Own collection (A4): every entity may have a collection of its own, in which each row holds the ids of its parents."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Own, Suggestion
from nestling.ir.situation import Situation


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """One for each entity."""
    for entity in situation.model.entities:
        yield Suggestion(f"{entity.name} in a collection of its own", Own(entity.name))
