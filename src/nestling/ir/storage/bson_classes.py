"""Which types of a model are stored as BSON types whose values may be equal."""

from __future__ import annotations

from nestling.ir.model import Attribute
from nestling.ir.types import BSON_DIGITS, KEPT_AS_TEXT, MOMENTS, NUMBERS, TIMES, Type, TypeName

_CLASSES = {
    **dict.fromkeys(NUMBERS, "number"),
    **dict.fromkeys(KEPT_AS_TEXT, "string"),
    **dict.fromkeys(TIMES, "date"),
    TypeName.BOOLEAN: "bool",
    TypeName.OBJECT_ID: "objectId",
    TypeName.BYTES: "binData",
    TypeName.UUID: "binData",
}
"""BSON types by conceptual type; types that are missing here may have any."""


def never_equal(one: Attribute, other: Attribute) -> bool:
    """Whether no value of one has the BSON type of a value of the other."""
    mine, theirs = bson_classes(one), bson_classes(other)
    return None not in mine | theirs and not mine & theirs


def bson_classes(attribute: Attribute) -> set[str | None]:
    """The BSON types that an attribute's values may have; None among them: any."""
    return set(map(_class, (attribute.type, *attribute.also)))


def _class(kind: Type) -> str | None:
    has_more_digits = kind.name in MOMENTS and kind.numbers and kind.numbers[0] > BSON_DIGITS
    return "string" if has_more_digits else _CLASSES.get(kind.name)
