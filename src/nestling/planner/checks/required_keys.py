"""Foreign keys that must lead to a row, and where they are stored."""

from __future__ import annotations

from nestling.ir.design import Design
from nestling.ir.model import Relationship
from nestling.ir.primitives import Embedding
from nestling.ir.storage.layout import NodeKind, Place, Role
from nestling.ir.storage.names import join


def must_lead(design: Design, place: Place, link: Relationship) -> bool:
    """Whether the rows at a place have a foreign key that must lead somewhere, and could lead nowhere."""
    is_required = link.enforced or design.model.is_total(link)
    return is_required and not design.only_listed(link) and _tells(place, link)


def reference_name(place: Place, link: Relationship) -> str:
    """The name of a reference's check at a place."""
    return f"{join(place.store.name, place.path)} → {link.parent}"


def _tells(place: Place, link: Relationship) -> bool:
    if place.copy is not None or (place.store.role is Role.ORPHANS and _is_of(place.store.embedding, link)):
        return False
    return not (_is_of(place.node.embedding, link) and place.nodes[-2].kind is not NodeKind.GROUP)


def _is_of(embedding: Embedding | None, link: Relationship) -> bool:
    return embedding is not None and embedding.relationship == link.name
