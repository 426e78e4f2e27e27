"""Conditions of CHECKs over the attributes of an entity: all that compare values of one kind."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from nestling.ir.constraints.check_types import mistake_of
from nestling.ir.constraints.row_check import RowCheck, constant, plain_condition
from nestling.ir.model import Attribute, Entity
from nestling.ir.statements.expression import ANY, And, Arithmetic, Column, Compare, Expression, InList, IsNull, Not, Or
from nestling.ir.statements.operators import ArithmeticOperator, Comparison
from nestling.ir.types import TypeName

_COMPARISONS = [each for each in Comparison if each not in (Comparison.SAME, Comparison.DIFFERENT)]
_SUMS = (ArithmeticOperator.ADD, ArithmeticOperator.SUBTRACT, ArithmeticOperator.MULTIPLY)
CONSTANTS: Mapping[TypeName, st.SearchStrategy[Any]] = {
    TypeName.INTEGER: st.integers(-3, 3),
    TypeName.FLOAT: st.integers(-3, 3) | st.sampled_from((0.5, -1.25)),
    TypeName.DECIMAL: st.integers(-3, 3) | st.sampled_from((Decimal("0.5"), Decimal("-1.25"))),
    TypeName.TEXT: st.sampled_from(("", "a", "B", "it's", 'a "b"')),
    TypeName.BOOLEAN: st.booleans(),
}


def conditions(entity: Entity) -> st.SearchStrategy[Expression]:
    """Conditions that say nothing the entity's attributes cannot be asked; some of them must be."""
    simple = st.one_of(*(_of_attribute(each, entity) for each in askable(entity)))
    found = st.recursive(
        simple,
        lambda inner: (
            st.lists(inner, min_size=2, max_size=3).map(lambda parts: And(tuple(parts)))
            | st.lists(inner, min_size=2, max_size=3).map(lambda parts: Or(tuple(parts)))
            | inner.map(Not)
        ),
        max_leaves=5,
    )
    return found.map(_plain).filter(lambda condition: not mistake_of(condition, entity))


def askable(entity: Entity) -> list[Attribute]:
    """The attributes that a condition may be about."""
    return [each for each in entity.attributes if not mistake_of(IsNull(_column(each)), entity)]


def _plain(expression: Expression) -> Expression:
    found = plain_condition(expression)
    assert found is not None, "only what a check holds is made here"
    return found


@st.composite
def checks(draw: st.DrawFn, entity: Entity) -> tuple[RowCheck, ...]:
    """A check or two with names or without, or none."""
    found = draw(st.lists(conditions(entity), max_size=2, unique=True)) if askable(entity) else []
    return tuple(RowCheck(draw(st.sampled_from(("", "period", "Two words"))), each) for each in found)


def _column(attribute: Attribute) -> Column:
    return Column("", attribute.name, ANY)


def _of_attribute(attribute: Attribute, entity: Entity) -> st.SearchStrategy[Expression]:
    own, constants = _column(attribute), CONSTANTS.get(attribute.type.name)
    compared = [each for each in _COMPARISONS if not mistake_of(Compare(each, own, own), entity)]
    if not compared:
        return st.just(IsNull(own))
    alike = [each for each in askable(entity) if each.type.name is attribute.type.name]
    sides: st.SearchStrategy[Expression] = st.sampled_from(alike).map(_column)
    if constants is not None:
        sides |= constants.map(constant)
    if attribute.type.name is TypeName.INTEGER and not attribute.also:
        sides |= st.builds(Arithmetic, st.sampled_from(_SUMS), st.just(own), sides, st.just(ANY))
    found: st.SearchStrategy[Expression] = st.just(IsNull(own))
    found |= st.builds(Compare, st.sampled_from(compared), st.just(own) | sides, sides)
    if attribute.type.name is TypeName.BOOLEAN:
        found |= st.just(own)
    if constants is not None:
        items = st.lists(constants.map(constant), min_size=1, max_size=2).map(tuple)
        found |= st.builds(InList, st.just(own), items)
    return found
