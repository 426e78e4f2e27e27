"""Decimals in SQLite's statements about columns that have every digit of them: texts of decimals, and those of MongoDB."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal

from nestling.ir.statements.expression import (
    NULL,
    Arithmetic,
    AttributeCast,
    Column,
    Expression,
    Literal,
    Negate,
    Parameter,
)
from nestling.ir.statements.operators import Rules
from nestling.ir.types import Type, TypeName
from nestling.planner.sql.literals import DECIMAL
from nestling.planner.sql.scope import Translation


def exact_beside(value: Expression, other: Expression, translation: Translation) -> Expression:
    """A number compared with a column of exact decimals: a parameter keeps its own digits, which SQLite does not have.

    In a model of MongoDB, whose decimals are not floats, so does a constant, also if it is compared with a value computed from
    such a column.
    """
    is_strict = translation.model.strict_types
    if not (_is_exact(other) if is_strict else isinstance(other, Column) and other.type.name is TypeName.DECIMAL):
        return value
    if isinstance(value, Parameter):
        return replace(value, by_sqlite=False)
    return _exact_number(value) if is_strict else value


def _exact_number(value: Expression) -> Expression:
    """A float that is written, by its digits."""
    found = value.value if isinstance(value, Literal) else None
    return Literal(Decimal(repr(found)), DECIMAL) if isinstance(found, float) and math.isfinite(found) else value


def written_exactly(value: Expression) -> Expression:
    """A number that is written, as a decimal; all else as it is."""
    if isinstance(value, Literal) and isinstance(value.value, int) and not isinstance(value.value, bool):
        return Literal(Decimal(value.value), DECIMAL)
    return _exact_number(value)


def exactly(value: Expression, kind: Type) -> Expression:
    """A value as a column of exact decimals stores it."""
    if value == NULL:
        return value
    found = Parameter(value.name, kind) if isinstance(value, Parameter) else written_exactly(value)
    is_kept = isinstance(found, Literal) and isinstance(found.value, Decimal)
    return found if is_kept else AttributeCast(found, kind, Rules.POSTGRESQL)


def _is_exact(expression: Expression) -> bool:
    """Whether it is a column of decimals that are not floats, possibly among other values, or computed from one."""
    match expression:
        case Column():
            return expression.type.name is TypeName.DECIMAL
        case Negate(operand=operand):
            return _is_exact(operand)
        case Arithmetic(left=left, right=right):
            return _is_exact(left) or _is_exact(right)
        case _:
            return False
