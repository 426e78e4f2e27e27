"""Attributes as the columns of expressions."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.model import Attribute, Entity
from nestling.ir.statements.expression import And, Arithmetic, Column, Compare, Expression, InList, IsNull, Not, Or
from nestling.ir.types import INTEGER, MACHINE_NUMBERS, Type, TypeName


def column_of(attribute: Attribute, alias: str, name: str = "") -> Column:
    """The attribute as a column of the relation `alias`, under its own name or another."""
    kinds = {attribute.type.name, *(other.name for other in attribute.also)}
    numbers = bool(attribute.also) and kinds <= MACHINE_NUMBERS
    return Column(
        alias, name or attribute.name, attribute.type, attribute.nullable, bool(attribute.also), numbers=numbers
    )


def over(condition: Expression, entity: Entity, alias: str) -> Expression:
    """A check's condition over the columns of the relation `alias` of its entity."""
    match condition:
        case Column(name=name):
            return column_of(entity.attribute(name), alias)
        case And(operands=parts) | Or(operands=parts):
            return replace(condition, operands=tuple(over(part, entity, alias) for part in parts))
        case Not(operand=operand) | IsNull(operand=operand) | InList(operand=operand):
            return replace(condition, operand=over(operand, entity, alias))
        case Compare(left=left, right=right):
            return replace(condition, left=over(left, entity, alias), right=over(right, entity, alias))
        case Arithmetic(operator=operator, left=left, right=right):
            sides = (over(left, entity, alias), over(right, entity, alias))
            whole = all(side.type.name is TypeName.INTEGER for side in sides)
            return Arithmetic(operator, *sides, INTEGER if whole else Type(TypeName.DECIMAL))
        case _:
            return condition
