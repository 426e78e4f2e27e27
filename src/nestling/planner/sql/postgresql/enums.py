"""Enums come in the order their type lists its values, and not in that of their texts."""

from __future__ import annotations

from nestling.ir.statements.expression import NULL, Case, Compare, Expression, Literal
from nestling.ir.statements.operators import Comparison
from nestling.ir.types import INTEGER, TEXT


def ranked(expression: Expression, labels: tuple[str, ...]) -> Expression:
    """The place of a value among the `labels`; itself where the order of texts, in any case, is the same."""
    if list(labels) == sorted(labels) == sorted(labels, key=str.casefold):
        return expression
    places = enumerate(labels)
    return Case(
        tuple(
            (Compare(Comparison.EQUAL, expression, Literal(label, TEXT)), Literal(place, INTEGER))
            for place, label in places
        ),
        NULL,
        INTEGER,
    )


def unranked(expression: Expression) -> Expression:
    """The value whose place among labels it is; anything else as it is."""
    match expression:
        case Case(branches=((Compare(left=value), _), *_)) if ranked(value, value.type.values) == expression:
            return value
        case _:
            return expression
