"""Which types' values are equal in SQL exactly where the server finds their stored values equal, and in one order."""

from __future__ import annotations

from nestling.ir.model import Attribute
from nestling.ir.types import COMPARED_BY_PARTS, MACHINE_NUMBERS, TEXTS, Type, is_ordered_as_stored


def compared_by_parts(*types: Type) -> bool:
    """Whether values of one of the types are compared part by part, or nothing is known of them."""
    return any(each.name in COMPARED_BY_PARTS for each in types)


def alike(one: Type, other: Type) -> bool:
    """Whether values of one of each are equal where they are stored as equal values."""
    names = {one.name, other.name}
    return same(one, other) or names <= MACHINE_NUMBERS or names <= TEXTS


def same(one: Type, other: Type) -> bool:
    """Whether values of both are stored in one way."""
    return one.name is other.name and one.fraction_digits == other.fraction_digits


def alike_in_order(one: Type, other: Type) -> bool:
    """Whether values of one of each are in one order, which is that they are stored in."""
    names = {one.name, other.name}
    return (same(one, other) or names <= MACHINE_NUMBERS) and is_ordered_as_stored(one) and is_ordered_as_stored(other)


def equal_as_stored(one: Attribute, other: Attribute, *, strict: bool) -> bool:
    """Whether two attributes are equal exactly if their stored values are; always with `strict` and several types."""
    if compared_by_parts(one.type, other.type):
        return False
    if one.is_of_several_types or other.is_of_several_types:
        return strict
    return alike(one.type, other.type)
