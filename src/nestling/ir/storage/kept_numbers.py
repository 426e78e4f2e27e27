"""Counters for generated numbers: one document for each attribute, in a collection of ours.

For numbers that are never reused it holds the highest one so far. It changes only outside transactions: a transaction that
changed it would block all other writers, and itself when it takes the next number. If no index compares all rows, another
document counts how often rows were numbered: two simultaneous writers change it in their transactions, and one of them is
retried.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.constraints.defaults import NEVER_RETURN, NUMBERED
from nestling.ir.design import Design
from nestling.ir.indexes.embedded_uniques import Kept, kept_inside
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.primitives import Collection, Document
from nestling.ir.storage.layout import Role
from nestling.ir.storage.names import NUMBERS_COLLECTION
from nestling.ir.types import INTEGER, TEXT

OF, LAST, TIMES = "of", "last", "times"
_ATTRIBUTES = (Attribute(OF, TEXT, nullable=False), Attribute(LAST, INTEGER), Attribute(TIMES, INTEGER))
_NUMBERS = Entity(NUMBERS_COLLECTION, _ATTRIBUTES, (OF,))
NUMBERS = Design(
    Model(NUMBERS_COLLECTION, (_NUMBERS,)), (Collection(NUMBERS_COLLECTION, Document(_NUMBERS.name), (OF,)),)
)
"""The collection as a design: `_id` is the attribute.

`last` is its highest number, `times` how often rows were numbered.
"""


def counter(entity: Entity, attribute: str) -> str:
    """The `_id` of an attribute's highest number, its counter."""
    return f"{entity.name}.{attribute}"


def crossing(entity: Entity, attribute: str) -> str:
    """The `_id` of the document that transactions change which store a number that another could store too."""
    own = counter(entity, attribute)
    return f"{own} times" if attribute in numbered_attributes(entity) else own


def is_contended(design: Design, entity: Entity, attribute: str) -> bool:
    """Whether a number of the attribute could be made twice: no index compares all rows, and writers need not meet otherwise."""
    if entity.attribute(attribute).default not in NUMBERED:
        return False
    places = [
        place for place in design.places[entity.name] if place.copy is None and place.store.role is not Role.PAGES
    ]
    home = places[0]
    if len({place.store.name for place in places}) > 1:
        return True
    is_inside = len(home.nodes) > 1
    return is_inside and kept_inside(entity, (attribute,), home) is Kept.NOWHERE


def numbered_attributes(entity: Entity) -> Iterator[str]:
    """The attributes whose numbers never return."""
    return (each.name for each in entity.attributes if each.default in NEVER_RETURN)
