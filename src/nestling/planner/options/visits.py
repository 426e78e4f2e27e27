"""A statement's footprint as a tree of visits: where it starts, and along which relationships it goes on."""

from __future__ import annotations

from dataclasses import dataclass

from nestling.ir.model import Model, Relationship
from nestling.ir.workload import Access, Statement
from nestling.planner.options.sizes import Sizes


@dataclass(frozen=True, slots=True)
class Visit:
    """One access, how it is reached, and how many rows.

    `before`: position of the visit it comes from, None for a start. `link` and `down`: the relationship and whether from parent
    to children. `reached`: rows found before its own conditions, `rows`: after them.
    """

    access: Access
    before: int | None
    link: Relationship | None
    down: bool
    reached: float
    rows: float

    @property
    def entity(self) -> str:
        """The entity visited."""
        return self.access.entity


def visits(statement: Statement, model: Model, sizes: Sizes) -> tuple[Visit, ...]:
    """Every read access once: the most selective one first, then what is joined to it; what is joined to nothing starts anew."""
    reads = [access for access in statement.accesses if not access.kind.writes]
    edges = _edges(reads, model)
    found: list[Visit] = []
    at: dict[int, int] = {}  # access -> visit
    while len(at) < len(reads):
        start = min((n for n in range(len(reads)) if n not in at), key=lambda n: (sizes.found(reads[n]), n))
        rows = sizes.found(reads[start])
        at[start] = len(found)
        found.append(Visit(reads[start], None, None, False, rows, rows))
        others = [access for access in reads if access is not reads[start]]
        cut = not any(each.sort or each.filters for each in others) and not any(each.aggregates for each in reads)
        most = float(statement.limit) if cut and statement.limit is not None else None
        _follow(start, reads, edges, found, at, sizes, most)
    return tuple(found)


def _edges(reads: list[Access], model: Model) -> list[tuple[int, int, Relationship]]:
    """Pairs of accesses that a relationship joins: a later one to the last earlier one on the other side."""
    edges = []
    for later, access in enumerate(reads):
        if access.via is None or not model.has_relationship(access.via):
            continue
        link = model.relationship(access.via)
        other = link.parent if access.entity == link.child else link.child
        earlier = next((n for n in range(later - 1, -1, -1) if reads[n].entity == other), None)
        if earlier is not None:
            edges.append((earlier, later, link))
    return edges


def _follow(
    start: int,
    reads: list[Access],
    edges: list[tuple[int, int, Relationship]],
    found: list[Visit],
    at: dict[int, int],
    sizes: Sizes,
    most: float | None,
) -> None:
    """Add what is joined. `most`: so many rows are asked for, which are cut off before parents are joined to them."""
    waiting = [start]
    while waiting:
        here = waiting.pop(0)
        for left, right, link in edges:
            there = right if left == here else left if right == here else None
            if there is None or there in at:
                continue
            rows = found[at[here]].rows
            down = reads[there].entity == link.child and (not link.is_self or there == right)
            if most is not None and not down:
                rows = min(rows, most)
            reached = rows * sizes.children(link) if down else rows
            kept = reached
            for condition in reads[there].filters:
                if condition.attribute not in link.child_attributes:
                    kept *= sizes.share(reads[there], condition)
            at[there] = len(found)
            found.append(Visit(reads[there], at[here], link, down, reached, kept))
            waiting.append(there)
