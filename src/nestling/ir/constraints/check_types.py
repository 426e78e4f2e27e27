"""Whether the columns of a check can be compared as it says: of what type they are, and what becomes of their values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nestling.ir.statements.expression import Arithmetic, Column, Compare, Expression, InList, IsNull
from nestling.ir.statements.operands import is_condition, operands
from nestling.ir.statements.operators import Collation, Comparison
from nestling.ir.types import MOMENTS, NAN, NUMBERS, REAL, SINGLE, TEXTS, TypeName

if TYPE_CHECKING:
    from nestling.ir.model import Attribute, Entity

_EQUAL = (Comparison.EQUAL, Comparison.NOT_EQUAL)
_UNORDERED = frozenset({TypeName.ENUM, TypeName.UUID, TypeName.BOOLEAN})
_COMPARED = NUMBERS | TEXTS | MOMENTS | {TypeName.DATE, TypeName.TIME, TypeName.BOOLEAN, TypeName.UUID}
_NO_NULL = frozenset({TypeName.JSON, TypeName.ANY})
"""Types whose NULL cannot be told from a value."""


def mistake_of(condition: Expression, entity: Entity) -> str:
    """Why a condition is not possible for the entity's attributes, in words; empty if it is."""
    return next(_mistakes(condition, entity), "")


def _mistakes(condition: Expression, entity: Entity) -> Iterator[str]:
    match condition:
        case Column(name=name):
            if entity.attribute(name).type.name is not TypeName.BOOLEAN or entity.attribute(name).also:
                yield f"`{name}` alone is not a condition"
        case IsNull(operand=Column(name=name)):
            if entity.attribute(name).type.name in _NO_NULL:
                yield f"a NULL in `{name}` cannot be distinguished from its values"
        case Compare(operator=operator, left=left, right=right):
            yield from _kind_problems((left, right), entity, ordered=operator not in _EQUAL)
            for side in filter(is_condition, (left, right)):
                yield from _mistakes(side, entity)
        case InList(operand=operand, items=items):
            yield from _kind_problems((operand, *items), entity, ordered=False)
        case _:
            for part in operands(condition):
                yield from _mistakes(part, entity)


def _kind_problems(sides: tuple[Expression, ...], entity: Entity, *, ordered: bool) -> Iterator[str]:
    kinds = {_kind(side, entity) for side in sides}
    if len(kinds) > 1:
        yield f"{' and '.join(sorted(kinds))} are compared"
    for side in sides:
        yield from _of_side(side, entity, ordered=ordered)


def _kind(side: Expression, entity: Entity) -> str:
    """What a value is compared as: numbers, texts, or its type."""
    if isinstance(side, Arithmetic):
        return "numbers"
    name = entity.attribute(side.name).type.name if isinstance(side, Column) else side.type.name
    return "numbers" if name in NUMBERS else "texts" if name in TEXTS else name.value


def _of_side(side: Expression, entity: Entity, *, ordered: bool) -> Iterator[str]:
    if isinstance(side, Arithmetic):
        for part in _parts(side):
            yield from _of_side(part, entity, ordered=True)
            if _kind(part, entity) != "numbers" or _is_inexact(part, entity):
                yield "only integers and decimals can be added"
    elif isinstance(side, Column):
        yield from _of_attribute(entity.attribute(side.name), ordered=ordered)


def _parts(sum_of: Arithmetic) -> Iterator[Expression]:
    for side in (sum_of.left, sum_of.right):
        if isinstance(side, Arithmetic):
            yield from _parts(side)
        else:
            yield side


def _is_inexact(part: Expression, entity: Entity) -> bool:
    if not isinstance(part, Column):
        return part.type.name is TypeName.FLOAT
    attribute = entity.attribute(part.name)
    return TypeName.FLOAT in {kind.name for kind in (attribute.type, *attribute.also)}


def _of_attribute(attribute: Attribute, *, ordered: bool) -> Iterator[str]:
    kinds = {kind.name for kind in (attribute.type, *attribute.also)}
    if not kinds <= (NUMBERS if attribute.type.name in NUMBERS else {attribute.type.name}) or not kinds <= _COMPARED:
        yield f"`{attribute.name}` is {' or '.join(sorted(kinds))}, whose values have no common order"
    if set(attribute.type.carried.split()) - {REAL, SINGLE, NAN}:
        yield f"`{attribute.name}` is {attribute.type}, which the source compares differently from MongoDB"
    if ordered and kinds & _UNORDERED:
        yield f"`{attribute.name}` is {attribute.type.name}, which has no order in MongoDB"
    if attribute.type.name in TEXTS and (attribute.collation is not Collation.BINARY or attribute.type.is_char):
        yield f"texts of `{attribute.name}` are not compared exactly"
