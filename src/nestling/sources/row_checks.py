"""Decides which conditions over a row's columns mean the same for stored values as for the source's own."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import combinations

from nestling.ir.constraints.allowed import number
from nestling.ir.constraints.check_types import mistake_of
from nestling.ir.model import Entity
from nestling.ir.statements.expression import Arithmetic, Column, Compare, Expression, InList, Literal
from nestling.ir.statements.operands import columns_of, constants_of, is_condition, operands
from nestling.ir.statements.operators import ArithmeticOperator, Comparison
from nestling.ir.statements.sql_dialects import MYSQL, SQLITE
from nestling.ir.types import MOMENTS, NUMBERS, TEXTS, Type, TypeName
from nestling.ir.value_forms.decimal128 import DIGITS, INTEGER_DIGITS, digits_of
from nestling.sources.single_floats import is_any_float

_EXACT = frozenset({TypeName.INTEGER, TypeName.DECIMAL})


def compares_alike(condition: Expression, entity: Entity, dialect: str) -> bool:
    """Whether a condition has the same truth value for the stored values as in the source."""
    if mistake_of(condition, entity):
        return False
    return all(_sides_alike(sides, entity, dialect, ordered=ordered) for sides, ordered in compared_sides(condition))


def compared_sides(condition: Expression) -> Iterator[tuple[tuple[Expression, ...], bool]]:
    """Yield the expressions that are compared with each other, and whether their order matters."""
    match condition:
        case Compare(operator=operator, left=left, right=right):
            yield (left, right), operator not in (Comparison.EQUAL, Comparison.NOT_EQUAL)
            for side in filter(is_condition, (left, right)):
                yield from compared_sides(side)
        case InList(operand=operand, items=items):
            yield (operand, *items), False
        case _:
            for part in operands(condition):
                yield from compared_sides(part)


def _sides_alike(sides: tuple[Expression, ...], entity: Entity, dialect: str, *, ordered: bool) -> bool:
    kinds = [_type(side, entity) for side in sides]
    if any(isinstance(side, Arithmetic) and not _is_exact(side, entity, dialect) for side in sides):
        return False
    names = {kind.name for kind in kinds}
    if names & TEXTS:  # of which a server's collation may say something else
        return dialect == SQLITE or (dialect != MYSQL and not ordered)
    if TypeName.TIME in names:  # texts that MySQL writes with as many digits as each column has
        return dialect != MYSQL
    if names & MOMENTS:  # which are texts in SQLite, one shorter than the other where they have fewer digits
        return dialect != SQLITE or len(set(kinds)) == 1
    if names <= NUMBERS and dialect != SQLITE:
        return all(_floats_alike(one, other, entity) for one, other in combinations(sides, 2))
    return True


def _type(side: Expression, entity: Entity) -> Type:
    return entity.attribute(side.name).type if isinstance(side, Column) else side.type


def _floats_alike(one: Expression, other: Expression, entity: Entity) -> bool:
    """Whether two numbers of a server compare by their values: it makes floats of exact ones, and double ones of single ones."""
    for side, beside in ((one, other), (other, one)):
        if isinstance(side, Column) and _type(side, entity).name is TypeName.FLOAT:
            if isinstance(beside, Literal):
                return is_any_float(number(beside.value))  # type: ignore[arg-type]
            return _type(side, entity) == _type(beside, entity)
    return True


def _is_exact(side: Arithmetic, entity: Entity, dialect: str) -> bool:
    """Whether no sum is rounded: whole numbers, or decimals that a Decimal128 holds."""
    kinds = {_type(column, entity).name for column in columns_of(side)}
    if kinds <= {TypeName.INTEGER}:
        return all(isinstance(each, int) for each in constants_of(side))
    found = _digits(side, entity)
    return dialect != SQLITE and kinds <= _EXACT and found is not None and sum(found) <= DIGITS


def _digits(side: Expression, entity: Entity) -> tuple[int, int] | None:
    """The digits before and after the point that a value may have; None without a bound."""
    match side:
        case Literal(value=int() | Decimal() as value):
            return digits_of(value)
        case Column(name=name):
            kind = entity.attribute(name).type
            if kind.name is TypeName.INTEGER:
                return INTEGER_DIGITS, 0
            return (kind.numbers[0] - kind.numbers[1], kind.numbers[1]) if len(kind.numbers) > 1 else None
        case Arithmetic(operator=operator):
            one, other = _digits(side.left, entity), _digits(side.right, entity)
            if one is None or other is None:
                return None
            if operator is ArithmeticOperator.MULTIPLY:
                return one[0] + other[0], one[1] + other[1]
            return max(one[0], other[0]) + 1, max(one[1], other[1])
        case _:
            return None
