"""The possible values of an attribute, or of an aggregate over it."""

from __future__ import annotations

from nestling.emitters.content import Content, PlainContent, ValueContent
from nestling.ir.model import Entity
from nestling.ir.rows import AggregateKind
from nestling.ir.types import FLOAT, INTEGER, Type, TypeName

COUNT = PlainContent(("int", "long"))
DATE = PlainContent(("date",))
FLAG = PlainContent(("bool",))
NUMBER = ValueContent((INTEGER, FLOAT, Type(TypeName.DECIMAL)))
OBJECT_ID = PlainContent(("objectId",))
TEXT = PlainContent(("string",))


def values_of(entity: Entity, attribute: str) -> ValueContent:
    """The values of an attribute: of its own type or of others that were seen, as far as allowed."""
    found = entity.attribute(attribute)
    return ValueContent((found.type, *found.also), found.allowed)


def aggregate(entity: Entity, function: AggregateKind, attribute: str | None) -> Content:
    """The values of an aggregate; databases differ in the number type a sum or an average has."""
    if function is AggregateKind.COUNT:
        return COUNT
    return values_of(entity, attribute) if function in (AggregateKind.MIN, AggregateKind.MAX) and attribute else NUMBER
