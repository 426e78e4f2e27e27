"""Whether no text that identifies or links the rows combined by a read is compared exactly."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.layout import NodeKind, Place, Role
from nestling.ir.types import TEXTS


def keys_agree(design: Design, scanned: Sequence[str]) -> bool:
    """Whether rows of these entities, one for each time they are read, can be combined without comparing texts exactly."""
    if len(scanned) == 1 and is_alone(design.places[scanned[0]]):
        return True
    names = {node.entity for name in scanned for place in design.places[name] for node in place.nodes} | set(scanned)
    listed = {link for name in scanned for place in design.places[name] for link in place.node.listed}
    names |= {design.model.relationship(link).parent for link in listed}
    return all(_agrees(design.model, name, names) for name in names)


def is_alone(places: Sequence[Place]) -> bool:
    """Whether each row is a document, and a document all of it."""
    (first, *others) = places
    whole = first.store.role is Role.HOME and first.node.kind is NodeKind.ROOT and first.copy is None
    return whole and not others and not first.node.listed and not first.store.collection.splits


def _agrees(model: Model, name: str, others: Collection[str]) -> bool:
    """Whether all texts that identify its rows, or link them to those of the others, are compared in the same way."""
    entity = model.entity(name)
    up = [link.child_attributes for link in model.parents_of(name) if link.parent in others]
    down = [link.parent_attributes for link in model.children_of(name) if link.child in others]
    keys = {attribute for group in (entity.key, *up, *down) for attribute in group}
    texts = [each for each in map(entity.attribute, keys) if each.type.name in TEXTS]
    return all(each.collation is Collation.UNICODE_CI for each in texts)
