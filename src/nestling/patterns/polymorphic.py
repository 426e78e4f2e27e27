"""Polymorphic collection (C6): subtypes in their supertype's documents, with a discriminator and partial indexes per type.

Proposed for every subtype of a hierarchy whose field names do not collide with others. The other candidates are a collection
for each type, and a sub-document for subtypes that collide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from nestling.ir.candidate import Nested, Suggestion
from nestling.ir.model import Hierarchy, Relationship
from nestling.ir.situation import Situation
from nestling.ir.storage.names import stored_name


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """One for each subtype."""
    for name in sorted(inline_links(situation)):
        link = situation.model.relationship(name)
        motives = tuple(
            s.name
            for s in situation.reading.workload.statements
            if any(access.entity in (link.child, link.parent) for access in s.accesses)
        )
        yield Suggestion(
            f"{link.child} beside the fields of {link.parent}",
            Nested(link.child, (name,), inline=True),
            motives,
        )


def inline_links(situation: Situation) -> frozenset[str]:
    """Return the relationships of subtypes whose fields can be stored next to their supertype's."""
    return frozenset(name for each in situation.model.hierarchies for name in _fitting(situation, each))


def _fitting(situation: Situation, hierarchy: Hierarchy) -> Iterator[str]:
    links = [situation.model.relationship(name) for name in hierarchy.subtypes]
    names = Counter(map(stored_name, situation.model.entity(hierarchy.supertype).attribute_names))
    for link in links:
        names.update(_own(situation, link))
    for link in links:
        alone = all(names[name] == 1 for name in _own(situation, link))
        if alone and situation.is_total(link) and not situation.blobs[link.child]:
            yield link.name


def _own(situation: Situation, link: Relationship) -> set[str]:
    """Return the fields that a subtype adds; its key is its supertype's."""
    child = situation.model.entity(link.child)
    return {stored_name(name) for name in child.attribute_names if name not in link.child_attributes}
