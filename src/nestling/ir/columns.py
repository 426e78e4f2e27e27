"""Attributes as the columns of expressions."""

from __future__ import annotations

from nestling.ir.expression import Column
from nestling.ir.model import Attribute
from nestling.ir.types import MACHINE_NUMBERS


def column_of(attribute: Attribute, alias: str, name: str = "") -> Column:
    """The attribute as a column of the relation `alias`, under its own name or another."""
    kinds = {attribute.type.name, *(other.name for other in attribute.also)}
    numbers = bool(attribute.also) and kinds <= MACHINE_NUMBERS
    return Column(
        alias, name or attribute.name, attribute.type, attribute.nullable, bool(attribute.also), numbers=numbers
    )
