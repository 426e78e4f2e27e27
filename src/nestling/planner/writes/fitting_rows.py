"""Whether a new row keeps NOT NULL and the CHECKs of its entity, asked of its values.

SQLite's OR IGNORE leaves out a row that does not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal

from nestling.ir.constraints.allowed import Allowed
from nestling.ir.constraints.row_check import constant, truth_of
from nestling.ir.model import Attribute, Entity
from nestling.ir.statements.columns import over
from nestling.ir.statements.expression import (
    FALSE,
    NULL,
    Call,
    Column,
    Compare,
    Comparison,
    Expression,
    Function,
    InList,
    IsNull,
    Literal,
    Not,
    Or,
    Rules,
)
from nestling.ir.statements.operands import conjunction, nullable
from nestling.ir.types import INTEGER, TypeName
from nestling.planner.reads.traverse import rewritten


def fits(entity: Entity, row: Mapping[str, Expression], made: Collection[str]) -> Expression | None:
    """What has to be true for the row to be taken; None where it is always. `made`: attributes whose values come later."""
    return conjunction(*conditions(entity, row, made))


def conditions(entity: Entity, row: Mapping[str, Expression], made: Collection[str]) -> Iterator[Expression]:
    """Each of it, but those that always are true."""
    given = {name: row.get(name, NULL) for name in entity.attribute_names if name not in made}
    for name, value in given.items():
        attribute = entity.attribute(name)
        if not attribute.nullable and nullable(value):
            yield FALSE if isinstance(value, Literal) else Not(IsNull(value))
        if attribute.allowed is not None and value != NULL:
            yield from _allowed(attribute, attribute.allowed, value)
    for check in entity.checks:
        known = {name: each.value for name in check.columns if isinstance(each := given.get(name), Literal)}
        if len(known) == len(check.columns):
            yield from () if truth_of(check.condition, known) is not False else (FALSE,)
        elif all(name in given for name in check.columns):
            yield _not_false(rewritten(over(check.condition, entity, "new"), lambda each: _value(each, given)))


def _value(inner: Expression, given: Mapping[str, Expression]) -> Expression | None:
    return given[inner.name] if isinstance(inner, Column) and inner.alias == "new" else None


def _not_false(condition: Expression) -> Expression:
    return Or((condition, IsNull(condition)))


def _allowed(attribute: Attribute, allowed: Allowed, value: Expression) -> Iterator[Expression]:
    if isinstance(value, Literal):
        assert isinstance(value.value, str | int | float | Decimal)
        yield from () if allowed.holds(value.value) else (FALSE,)
        return
    is_float = attribute.type.name is TypeName.FLOAT
    ends: tuple[tuple[Comparison, Expression, float | Decimal | None], ...] = (
        (Comparison.GREATER if allowed.exclusive_minimum else Comparison.GREATER_OR_EQUAL, value, allowed.minimum),
        (Comparison.LESS if allowed.exclusive_maximum else Comparison.LESS_OR_EQUAL, value, allowed.maximum),
        (Comparison.GREATER_OR_EQUAL, _length(value), allowed.minimum_length),
        (Comparison.LESS_OR_EQUAL, _length(value), allowed.maximum_length),
    )
    for operator, compared, end in ends:
        if end is not None:
            yield _not_false(Compare(operator, compared, constant(float(end) if is_float else end)))
    if allowed.values:
        items = tuple(constant(float(each) if is_float else each) for each in allowed.values)
        yield _not_false(InList(value, items))


def _length(value: Expression) -> Expression:
    return Call(Function.LENGTH, (value,), INTEGER, Rules.SQLITE)
