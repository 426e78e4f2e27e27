"""Which rows lie inside the documents of others, and along which relationship."""

from __future__ import annotations

from nestling.ir.design import Design
from nestling.ir.model import Relationship
from nestling.ir.storage.layout import NodeKind, Place


def is_inside(place: Place, link: Relationship | None) -> bool:
    """Whether rows there lie in the documents of the parents the relationship leads to."""
    node = place.node
    if link is None or node.embedding is None or len(place.nodes) < 2:
        return False
    return node.embedding.relationship == link.name and place.nodes[-2].kind is not NodeKind.GROUP


def is_embedded_along(place: Place, link: Relationship | None) -> bool:
    """Whether rows there lie inside their parents' documents, or in the pages of what has no room there."""
    node = place.node
    return link is not None and node.embedding is not None and node.embedding.relationship == link.name


def lives_inside(design: Design, link: Relationship) -> bool:
    """Whether some of the children live inside their parents' documents."""
    return any(is_inside(place, link) for place in design.places[link.child])


def nested(design: Design, entity: str) -> frozenset[str]:
    """The entities with rows inside the documents of the entity's rows."""
    return frozenset(
        name
        for name, places in design.places.items()
        for place in places
        for node in place.nodes[:-1]
        if node.entity == entity and node.kind is not NodeKind.GROUP
    )
