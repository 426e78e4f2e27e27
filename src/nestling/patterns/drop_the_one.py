"""Dropping the "one" (B3): all attributes of the one side are copied into each of the many, and it needs no collection.

Proposed if the application declares both sides read-only (`-- read only: host, message` in the workload file), because writes
to such documents cannot be translated yet; a workload without such writes is no proof, as it may have left them out. A copy of
the attributes in addition to a collection of the one side reads as fast, and accepts any write.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Absorbed, Suggestion
from nestling.ir.model import Relationship
from nestling.ir.situation import Situation, changed_entities

MOST_BYTES = 200.0
"""A row larger than this is not repeated in each of the many."""


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """One for each small parent with one kind of children, if both are read-only."""
    fixed = frozenset(situation.requirements.read_only) - changed_entities(situation)
    for entity in situation.model.entities:
        links = situation.children[entity.name]
        if len(links) == 1 and not situation.parents[entity.name] and _may_go(situation, links[0], fixed):
            motives = tuple(statement.name for statement in situation.statements_of[entity.name])
            if motives:
                part = Absorbed(entity.name, links[0].name)
                yield Suggestion(f"{entity.name} in each {links[0].child} only", part, motives)


def _may_go(situation: Situation, link: Relationship, fixed: frozenset[str]) -> bool:
    """Whether every child has its parent, neither ever changes, and the parent is small."""
    parent = situation.model.entity(link.parent)
    plain = set(link.parent_attributes) == set(parent.key) and len(parent.key) < len(parent.attributes)
    small = situation.row_bytes[parent.name] <= MOST_BYTES and not situation.blobs[parent.name]
    return plain and small and situation.is_total(link) and fixed >= {link.parent, link.child}
