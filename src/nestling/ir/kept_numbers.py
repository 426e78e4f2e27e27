"""The highest number given so far of each attribute whose numbers never return: one document each, in a collection of ours."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.defaults import NEVER_RETURN
from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.names import NUMBERS_COLLECTION
from nestling.ir.primitives import Collection, Document
from nestling.ir.types import INTEGER, TEXT

OF, LAST = "of", "last"
_NUMBERS = Entity(NUMBERS_COLLECTION, (Attribute(OF, TEXT, nullable=False), Attribute(LAST, INTEGER)), (OF,))
NUMBERS = Design(
    Model(NUMBERS_COLLECTION, (_NUMBERS,)), (Collection(NUMBERS_COLLECTION, Document(_NUMBERS.name), (OF,)),)
)
"""The collection as a design of its own: `_id` says which attribute, `last` is the highest number it had."""


def counter(entity: Entity, attribute: str) -> str:
    """The `_id` of an attribute's highest number."""
    return f"{entity.name}.{attribute}"


def counted(entity: Entity) -> Iterator[str]:
    """The attributes whose numbers never return."""
    return (each.name for each in entity.attributes if each.default in NEVER_RETURN)
