"""Dropping the "one" (B3): all attributes of the one side are copied into each of the many, and it needs no collection.

Proposed for data that no statement changes, of a workload that says what is written at all, where each row of the one side is
only ever read through the many: writes to such documents cannot be translated yet.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Absorbed, Structure
from nestling.ir.model import Relationship
from nestling.ir.situation import Situation

MOST_BYTES = 200.0
"""A row larger than that is not repeated in each of the many."""


def candidates(situation: Situation) -> Iterator[Structure]:
    """One for each small parent with one kind of children."""
    for entity in situation.model.entities:
        links = situation.children[entity.name]
        if len(links) == 1 and not situation.parents[entity.name] and _may_go(situation, links[0]):
            motives = tuple(statement.name for statement in situation.statements_of[entity.name])
            if motives:
                part = Absorbed(entity.name, links[0].name)
                yield Structure(f"{entity.name} in each {links[0].child} only", part, motives)


def _may_go(situation: Situation, link: Relationship) -> bool:
    """Whether every child has its parent, nothing changes either, and the parent is small."""
    parent = situation.model.entity(link.parent)
    changed = {
        access.entity
        for statement in situation.reading.workload.statements
        for access in statement.accesses
        if access.kind.writes
    }
    plain = set(link.parent_attributes) == set(parent.key) and len(parent.key) < len(parent.attributes)
    small = situation.row_bytes[parent.name] <= MOST_BYTES and not situation.blobs[parent.name]
    return plain and small and situation.is_total(link) and bool(changed) and not changed & {link.parent, link.child}
