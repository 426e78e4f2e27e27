"""What PostgreSQL makes of sums of integers: a `bigint` of `integer`s, a `numeric` of `bigint`s. The model keeps no widths.

A sum of counts or sums is one of `bigint`s for certain. That of a column may be either, which its quotient by an integer
shows: cut off or not.
"""

from __future__ import annotations

from nestling.ir.statements.expression import Cast, Column, Expression
from nestling.ir.statements.operands import operands
from nestling.ir.statements.operators import Rules
from nestling.ir.types import TypeName
from nestling.planner.sql.scope import Translation


def note(found: Expression, translation: Translation, *, of_column: bool) -> None:
    """Remember the column of a count or sum; `of_column`: of values whose width is not known."""
    is_postgresql = translation.dialect.rules is Rules.POSTGRESQL
    if is_postgresql and isinstance(found, Column) and found.type.name is TypeName.INTEGER:
        translation.sums[found.alias, found.name] = of_column


def hand_on(expression: Expression, column: Column, translation: Translation) -> None:
    """An output that is made of one is one."""
    if is_large(expression, translation):
        note(column, translation, of_column=is_unsure(expression, translation))


def is_large(expression: Expression, translation: Translation) -> bool:
    """Whether a count or a sum is in it, so that it is a `bigint` at least."""
    return bool(translation.sums) and any(key in translation.sums for key in _columns(expression))


def is_unsure(expression: Expression, translation: Translation) -> bool:
    """Whether a sum is in it that may be a `bigint` or a `numeric`."""
    return bool(translation.sums) and any(translation.sums.get(key, False) for key in _columns(expression))


def _columns(expression: Expression) -> set[tuple[str, str]]:
    """The columns whose type is not declared by a cast."""
    if isinstance(expression, Cast):
        return set()
    if isinstance(expression, Column):
        return {(expression.alias, expression.name)}
    return {key for inner in operands(expression) for key in _columns(inner)}
