"""What the answer to a read may lack by the requirements: how old and how imprecise it may be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from nestling.ir.freshness import Freshness
from nestling.ir.model import Model
from nestling.ir.workload import Requirements

Said = TypeVar("Said")
What = tuple[str, str]
"""(entity, attribute); (entity, "") is about which rows there are."""


@dataclass(frozen=True, slots=True)
class Tolerated:
    """`behind`: the weakest freshness a copy may have to answer; never behind where nothing is said.

    `off_by`: an aggregate may be less than that too low; exact where nothing is said.
    """

    behind: Mapping[What, Freshness] = field(default_factory=dict)
    off_by: Mapping[What, int] = field(default_factory=dict)


def tolerated(model: Model, requirements: Requirements) -> Tolerated:
    """A requirement on an attribute is about it, one on a relationship about its children: which there are and all of each."""
    return Tolerated(
        behind=dict(_about(model, dict(requirements.freshness))),
        off_by=dict(_about(model, dict(requirements.tolerance))),
    )


def _about(model: Model, required: Mapping[str, Said]) -> Iterator[tuple[What, Said]]:
    """What each requirement is about; those on attributes come last, and so hold."""
    for link in model.relationships:
        if link.name in required:
            for name in ("", *model.entity(link.child).attribute_names):
                yield (link.child, name), required[link.name]
    for entity in model.entities:
        for name in entity.attribute_names:
            if (said := required.get(f"{entity.name}.{name}")) is not None:
                yield (entity.name, name), said
