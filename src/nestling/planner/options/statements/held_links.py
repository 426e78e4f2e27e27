"""Which parents a write needs to be there, and holds so that they stay."""

from __future__ import annotations

from nestling.ir.model import Relationship
from nestling.ir.situation import Situation
from nestling.ir.workload import Access, StatementKind


def held_links(situation: Situation, access: Access) -> tuple[Relationship, ...]:
    """The foreign keys whose parents must be there when a row of the access is written."""
    links = [link for link in situation.parents[access.entity] if link.enforced]
    if access.kind is StatementKind.UPDATE:
        changed = [link for link in links if set(link.child_attributes) & set(access.attributes)]
        return tuple(link for link in changed if not access.nulls & set(link.child_attributes))
    return tuple(links) if access.kind is StatementKind.INSERT else ()
