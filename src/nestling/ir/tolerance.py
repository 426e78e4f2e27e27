"""How far behind the answer to a read may be, attribute by attribute: what the requirements say, for the planner of reads."""

from __future__ import annotations

from collections.abc import Mapping

from nestling.ir.freshness import Freshness
from nestling.ir.model import Model
from nestling.ir.workload import Requirements

Tolerated = Mapping[tuple[str, str], Freshness]
"""(entity, attribute) to the weakest freshness a copy of it may have to answer; (entity, "") is about which rows there are.

Never behind where nothing is said.
"""


def tolerated(model: Model, requirements: Requirements) -> Tolerated:
    """A requirement on an attribute is about it, one on a relationship about its children: which there are and all of each."""
    required = dict(requirements.freshness)
    found: dict[tuple[str, str], Freshness] = {}
    for link in model.relationships:
        if link.name in required:
            found |= {
                (link.child, name): required[link.name] for name in ("", *model.entity(link.child).attribute_names)
            }
    for entity in model.entities:
        for name in entity.attribute_names:
            if (freshness := required.get(f"{entity.name}.{name}")) is not None:
                found[entity.name, name] = freshness
    return found
