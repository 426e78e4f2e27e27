"""What the workload does along each relationship.

Children found by their parent, parents found from a child, children on their own, writes, and atomic changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from nestling.ir.model import Model, Relationship
from nestling.ir.workload import Access, Statement, StatementKind, Workload


@dataclass(slots=True)
class Footprint:
    """Rates, in executions a second, of the statements that touch one relationship; filled once, then only read."""

    down: float = 0.0  # children found through their parent
    up: float = 0.0  # a child found on its own, its parent looked up
    together: float = 0.0  # both read, neither leading
    alone: float = 0.0  # children read without this parent
    child_writes: float = 0.0
    atomic: list[str] = field(default_factory=list)  # statements and requirements that change both at once

    @property
    def with_parent(self) -> float:
        """Reads of children by way of their parent."""
        return self.down + self.together

    @property
    def independent(self) -> float:
        """Reads that find the children by another way."""
        return self.alone + self.up

    @property
    def reads(self) -> float:
        """All reads of children."""
        return self.with_parent + self.independent

    @property
    def independent_share(self) -> float:
        """Share of the child's reads that find it without its parent; 0 when nothing reads it."""
        return self.independent / self.reads if self.reads else 0.0


def footprints(model: Model, workload: Workload) -> Mapping[str, Footprint]:
    """Relationship name to its footprint."""
    found = {link.name: Footprint() for link in model.relationships}
    for link in model.relationships:
        for group in workload.requirements.atomic:
            if link.parent in group and link.child in group:
                found[link.name].atomic.append("required: " + ", ".join(group))
    by_child: dict[str, list[Relationship]] = {}
    for link in model.relationships:
        by_child.setdefault(link.child, []).append(link)
    for statement in workload.statements:
        _add(found, by_child, statement)
    return found


def _add(found: dict[str, Footprint], by_child: dict[str, list[Relationship]], statement: Statement) -> None:
    touched = {access.entity for access in statement.accesses}
    written = {access.entity for access in statement.accesses if access.kind.writes}
    for entity in sorted(touched):
        for link in by_child.get(entity, ()):
            footprint = found[link.name]
            for way in sorted(set(_ways(link, statement))):
                setattr(footprint, way, getattr(footprint, way) + statement.rate_per_second)
            if link.child in written:
                footprint.child_writes += statement.rate_per_second
                if link.parent in written and not link.is_self:
                    footprint.atomic.append(statement.name)


def _ways(link: Relationship, statement: Statement) -> Iterator[str]:
    parents = [access for access in statement.accesses if access.entity == link.parent]
    for child in statement.accesses:
        if child.entity == link.child and child.kind is StatementKind.SELECT:
            joined = [] if link.is_self else [p for p in parents if link.name in (p.via, child.via)]
            yield _way(link, child, joined)


def _way(link: Relationship, child: Access, parents: list[Access]) -> str:
    """How a statement comes to read the child: the side that is filtered, or reached from elsewhere, leads."""
    key = {*link.child_attributes}
    exact = {each.attribute for each in child.filters if each.operator.is_exact}
    child_leads = _leads(child, link, key)
    known = exact if child_leads else {*exact, *child.joined}  # what another table has of the same parent leads as well
    if key <= known:
        return "down"
    if not parents:
        return "alone"
    parent_leads = any(_leads(parent, link, set()) for parent in parents)
    if parent_leads == child_leads:
        return "together"
    return "down" if parent_leads else "up"


def _leads(access: Access, link: Relationship, shared: set[str]) -> bool:
    elsewhere = access.via is not None and access.via != link.name
    return elsewhere or any(each.attribute not in shared for each in access.filters)
