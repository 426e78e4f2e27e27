"""How old and how imprecise the answer to a read may be, by the requirements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from nestling.ir.freshness import Freshness
from nestling.ir.model import Model
from nestling.ir.workload import Requirements

Said = TypeVar("Said")
What = tuple[str, str]
"""(entity, attribute), or (entity, "") for the existence of rows."""


@dataclass(frozen=True, slots=True)
class Tolerated:
    """`behind`: the weakest freshness a copy may have to be used; by default it may never be behind.

    `off_by`: an aggregate may be too low by less than this; by default it must be exact.
    """

    behind: Mapping[What, Freshness] = field(default_factory=dict)
    off_by: Mapping[What, int] = field(default_factory=dict)


def tolerated(model: Model, requirements: Requirements) -> Tolerated:
    """Requirements on an attribute apply to it, those on a relationship to its children: their existence and attributes."""
    return Tolerated(
        behind=dict(_about(model, dict(requirements.freshness))),
        off_by=dict(_about(model, dict(requirements.tolerance))),
    )


def _about(model: Model, required: Mapping[str, Said]) -> Iterator[tuple[What, Said]]:
    """Yield what each requirement applies to; those on attributes come last and so take precedence."""
    for link in model.relationships:
        if link.name in required:
            for name in ("", *model.entity(link.child).attribute_names):
                yield (link.child, name), required[link.name]
    for entity in model.entities:
        for name in entity.attribute_names:
            if (said := required.get(f"{entity.name}.{name}")) is not None:
                yield (entity.name, name), said
