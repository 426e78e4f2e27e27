"""PostgreSQL's infinite dates and moments, which are texts in columns of dates: where they come in an order."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sqlglot import exp

from nestling.ir.model import Entity
from nestling.ir.statements.expression import Case, Compare, Expression, Literal
from nestling.ir.statements.operands import columns_of, is_mixed_time
from nestling.ir.statements.operators import Comparison, Rules
from nestling.ir.types import BSON_DIGITS, TEXT, TIMES, Type, TypeName
from nestling.ir.value_forms.infinite_moments import INFINITE
from nestling.planner.sql.gaps import statement_gap
from nestling.planner.sql.scope import Translation

_LAST = Literal(datetime(9999, 12, 31, 23, 59, 59, 999_000), Type(TypeName.TIMESTAMP))  # noqa: DTZ001 - no zone
_, _BEYOND = INFINITE.values


def placed_sides(left: Expression, right: Expression, translation: Translation) -> tuple[Expression, Expression]:
    """Both sides of an ordered comparison, placed in the order; with moments finer than a millisecond, both stay texts."""
    one, other = placed(left, translation), placed(right, translation)
    are_texts = max(left.type.fraction_digits, right.type.fraction_digits) > BSON_DIGITS
    return (left, right) if are_texts else (one, other)


def placed(expression: Expression, translation: Translation) -> Expression:
    """What a date or moment comes by: one that is infinite comes behind all others, as text before dates it comes first.

    Among moments finer than a millisecond both have their places.
    """
    if translation.dialect.rules is not Rules.POSTGRESQL or not is_mixed_time(expression):
        return expression
    for entity, names in _compared_columns(expression, translation):
        for each in entity.attributes:
            if each.name in names and each.type.name in TIMES and each.also not in ((), (INFINITE,)):
                raise statement_gap(f"an order of times, as `{entity.name}.{each.name}` also holds {each.also[0]}")
    if expression.type.fraction_digits > BSON_DIGITS:
        return expression
    if isinstance(expression, Literal):
        return _LAST if expression.value == _BEYOND else expression
    is_last = Compare(Comparison.EQUAL, expression, Literal(_BEYOND, TEXT))
    return Case(((is_last, _LAST),), expression, expression.type)


def _compared_columns(expression: Expression, translation: Translation) -> Iterator[tuple[Entity, frozenset[str]]]:
    """The tables whose columns are compared, and these; all columns of all tables where some are made by a query."""
    columns = list(columns_of(expression))
    is_plain = all(column.alias in translation.scans for column in columns)
    for alias, entity in translation.scans.items():
        if is_plain:
            yield entity, frozenset(column.name for column in columns if column.alias == alias)
        else:
            yield entity, frozenset(entity.attribute_names)


def unplaced(expression: Expression) -> Expression:
    """The date or moment that comes by it; anything else as it is."""
    match expression:
        case Case(branches=((Compare(left=value), last),)) if last is _LAST:
            return value
        case _:
            return expression


def refuse_infinite(what: str, node: exp.Expr | None, translation: Translation, *found: Expression) -> None:
    """Raise a gap for an operation that is not defined for dates and moments that may be infinite."""
    if translation.dialect.rules is Rules.POSTGRESQL and any(map(is_mixed_time, found)):
        raise statement_gap(f"{what} of dates or timestamps that may be infinite", node)
