"""Entities whose home are copies in their children's documents: writes that cannot be planned there yet are refused."""

from __future__ import annotations

from nestling.ir.design import Design
from nestling.planner.writes.draft.gaps import write_gap


def refuse_copied_home(design: Design, entity: str) -> None:
    """Raise the gap of an entity whose home are copies."""
    if any(place.copy is not None for place in design.places[entity]):
        raise write_gap(f"writes to `{entity}`, whose rows are stored only as copies")


def refuse_home_copies(design: Design, entity: str, attributes: frozenset[str]) -> None:
    """Raise the gap of a child whose documents are the home of its parents, when it comes, goes or changes parents."""
    for place in design.places[entity]:
        if place.copy is not None:
            continue
        for copy in place.node.body.copies:
            link = design.model.relationship(copy.path[0].relationship)
            if copy.home and attributes & set(link.child_attributes):
                raise write_gap(f"writes to `{entity}`, whose documents store the rows of `{link.parent}`")
