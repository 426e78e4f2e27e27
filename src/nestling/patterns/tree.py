"""Trees (C8): each row stores the rows above it, root first – an array of their keys, or of everything that breadcrumbs show.

Proposed if a recursive query follows a relationship of an entity with itself: one index then finds all rows below a row, and
all rows above it are in its own document. When a row moves, every row below it changes. The parent's id stays in each row.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Lineage, Suggestion
from nestling.ir.freshness import TRANSACTION, Freshness
from nestling.ir.model import Relationship
from nestling.ir.situation import Situation
from nestling.ir.workload import Access, Walk
from nestling.patterns.extended_reference import freshness_of

DEEPEST_NOT_MEASURED = 100.0
"""The depth of a tree nobody measured, where the bounds of a document are asked for."""


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """The keys alone, if a query asks for rows below a row or for keys; and the attributes read of the rows above."""
    motives: dict[tuple[str, tuple[str, ...], bool], list[str]] = {}
    for statement in situation.reading.workload.statements:
        for access in statement.accesses if not statement.kind.writes else ():
            link = _walked(situation, access)
            if link is not None and access.walk is not None:
                attributes = _shown(situation, access, link, access.walk)
                if _fits(situation, link, attributes):
                    found = motives.setdefault((link.name, attributes, access.walk is Walk.DOWN), [])
                    found.append(statement.name)
    for (name, attributes, indexed), statements in _with_both(motives).items():
        part = Lineage(name, attributes, _freshness(situation, name, attributes), indexed)
        link = situation.model.relationship(name)
        by = f", by which those {link.child} rows are found" if indexed else ""
        text = f"{', '.join(attributes)} of all {link.parent} rows above each by {name}{by}"
        yield Suggestion(text, part, tuple(dict.fromkeys(statements)))


def _walked(situation: Situation, access: Access) -> Relationship | None:
    """Return the relationship that an access follows to its end, if a single attribute is the key."""
    if access.walk is None or access.via is None or access.filters:
        return None
    link = situation.model.relationship(access.via)
    single = len(link.child_attributes) == 1 and situation.model.entity(link.parent).key == link.parent_attributes
    return link if single else None


def _shown(situation: Situation, access: Access, link: Relationship, walk: Walk) -> tuple[str, ...]:
    """Return the key and the attributes read of the rows above. A row's reference is the key of the row before it."""
    if walk is Walk.DOWN:
        return link.parent_attributes
    wanted = set(access.attributes) - {*link.child_attributes, *link.parent_attributes}
    names = situation.model.entity(link.parent).attribute_names
    return (*link.parent_attributes, *(name for name in names if name in wanted))


def _fits(situation: Situation, link: Relationship, attributes: tuple[str, ...]) -> bool:
    """Whether every row has room for them, and none is a blob."""
    known = situation.statistics.relationship(link.name).depth
    depth = known.value if known is not None else DEEPEST_NOT_MEASURED
    if depth > situation.thresholds.array_embed or set(attributes).intersection(situation.blobs[link.parent]):
        return False
    return depth * situation.row_bytes[link.parent] <= situation.requirements.document_bound_bytes / 4


def _with_both(
    motives: dict[tuple[str, tuple[str, ...], bool], list[str]],
) -> dict[tuple[str, tuple[str, ...], bool], list[str]]:
    """Add arrays of more than keys with an index on the keys, if queries go both ways."""
    found = dict(motives)
    below = {name: statements for (name, _, down), statements in motives.items() if down}
    for (name, attributes, down), statements in motives.items():
        if not down and name in below:
            found[name, attributes, True] = [*statements, *below[name]]
    return found


def _freshness(situation: Situation, name: str, attributes: tuple[str, ...]) -> Freshness:
    """Return the freshness required of all the attributes alike, or else the strictest."""
    entity = situation.model.relationship(name).parent
    found = {freshness_of(situation, entity, attribute, name) for attribute in attributes}
    return found.pop() if len(found) == 1 else TRANSACTION
