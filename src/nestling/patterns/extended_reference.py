"""Extended reference (C5, B2): attributes of the one side, stored next to the reference, chosen attribute by attribute (B5).

If a statement joins a row only along to-one hops, each attribute that it reads there is a candidate for a copy in the rows it
joins from.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import CopiedAttribute, Suggestion
from nestling.ir.freshness import TRANSACTION, Freshness
from nestling.ir.rows import up
from nestling.ir.situation import Situation
from nestling.ir.workload import Access, Statement


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """One for each attribute read through a foreign key."""
    motives: dict[tuple[str, str, str], list[str]] = {}
    for statement in situation.reading.workload.statements:
        for read in _read_through(situation, statement):
            motives.setdefault(read, []).append(statement.name)
    for (holder, name, attribute), statements in motives.items():
        link = situation.model.relationship(name)
        part = CopiedAttribute(holder, (up(link),), attribute, freshness_of(situation, link.parent, attribute, name))
        by = (
            ""
            if len([each for each in situation.parents[holder] if each.parent == link.parent]) == 1
            else f" by {name}"
        )
        text = f"{link.parent}.{attribute} in {holder}{by}"
        yield Suggestion(text, part, tuple(dict.fromkeys(statements)))


def freshness_of(situation: Situation, entity: str, attribute: str, relationship: str) -> Freshness:
    """Return how stale a copy of the attribute may be: as required for it or its relationship, or else not at all."""
    required = dict(situation.requirements.freshness)
    return required.get(f"{entity}.{attribute}", required.get(relationship, TRANSACTION))


def _read_through(situation: Situation, statement: Statement) -> Iterator[tuple[str, str, str]]:
    """Yield (child entity, relationship, attribute of the parent) for everything a read uses of a parent except its key."""
    if statement.kind.writes:
        return
    for access in statement.accesses:
        for link in situation.children[access.entity]:
            joined = not link.is_self and _joins(statement, access, link.name, link.child)
            for attribute in access.attributes if joined else ():
                if attribute not in link.parent_attributes and attribute not in situation.blobs[link.parent]:
                    yield link.child, link.name, attribute


def _joins(statement: Statement, access: Access, link: str, child: str) -> bool:
    """Whether the access is joined with a child along the relationship, from either side."""
    return access.via == link or any(a.via == link and a.entity == child for a in statement.accesses)
