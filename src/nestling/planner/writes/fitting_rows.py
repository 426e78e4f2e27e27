"""Whether a new row satisfies NOT NULL and the CHECKs of its entity, tested on its values.

SQLite's OR IGNORE skips a row that does not; a row that may conflict with another one is refused (`proposed_rows`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
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
    Expression,
    InList,
    IsNull,
    Literal,
    Not,
    Or,
)
from nestling.ir.statements.operands import bare, conjunction, nullable
from nestling.ir.statements.operators import Collation, Comparison, Function, Rules
from nestling.ir.types import INTEGER, TEXT, TypeName
from nestling.planner.reads.traverse import rewritten


@dataclass(frozen=True, slots=True)
class ValueCondition:
    """A condition on a new row's values, the attributes it concerns, and the allowed values in words ("" for NOT NULL)."""

    condition: Expression
    attributes: frozenset[str]
    words: str = ""


def checks(entity: Entity, row: Mapping[str, Expression], made: Collection[str]) -> list[ValueCondition]:
    """The CHECKs that the row's values may violate, except those on generated values."""
    given = {name: row.get(name, NULL) for name in entity.attribute_names if name not in made}
    return [each for each in _conditions(entity, given) if each.words]


def fits(entity: Entity, row: Mapping[str, Expression], made: Collection[str]) -> Expression | None:
    """The condition for the row to be accepted; None if it always is. `made`: attributes whose values come later."""
    given = {name: row.get(name, NULL) for name in entity.attribute_names if name not in made}
    return conjunction(*(each.condition for each in _conditions(entity, given)))


def _conditions(entity: Entity, given: Mapping[str, Expression]) -> Iterator[ValueCondition]:
    for name, value in given.items():
        attribute = entity.attribute(name)
        if not attribute.nullable and nullable(value):
            yield ValueCondition(FALSE if isinstance(value, Literal) else Not(IsNull(value)), frozenset({name}))
        if attribute.allowed is not None and value != NULL:
            asked = conjunction(*_allowed(attribute, attribute.allowed, value))
            words = f"`{name}` is {attribute.allowed}"
            yield from () if asked is None else (ValueCondition(asked, frozenset({name}), words),)
        labels = attribute.type.values if attribute.type.name is TypeName.ENUM else ()
        if labels and attribute.collation is Collation.BINARY and not _is_one(value, labels):
            asked = _not_false(InList(value, tuple(Literal(each, TEXT) for each in labels)))
            yield ValueCondition(asked, frozenset({name}), f"`{name}` is {Allowed(labels)}")
    for check in entity.checks:
        known = {name: each.value for name in check.columns if isinstance(each := given.get(name), Literal)}
        about, words = frozenset(check.columns), str(check)
        if len(known) == len(check.columns):
            yield from () if truth_of(check.condition, known) is not False else (ValueCondition(FALSE, about, words),)
        elif all(name in given for name in check.columns):
            asked = _not_false(rewritten(over(check.condition, entity, "new"), lambda each: _value(each, given)))
            yield ValueCondition(asked, about, words)


def _is_one(value: Expression, labels: tuple[str, ...]) -> bool:
    """Whether it is certainly NULL or one of the labels."""
    given = bare(value)
    return isinstance(given, Literal) and (given.value is None or given.value in labels)


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
