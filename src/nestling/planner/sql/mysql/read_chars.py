"""MySQL's `char(n)` as what reads it sees it: a text, as nothing shows the blanks that PostgreSQL's has at its end."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.statements.expression import Cast, Column, Expression, Rules
from nestling.planner.sql.scope import Translation


def column_read(column: Column, translation: Translation) -> Column:
    """The column, which is of texts where it is one of MySQL's `char`."""
    return replace(column, type=replace(column.type, carried="")) if _is_text(column, translation) else column


def as_read(value: Expression, translation: Translation) -> Expression:
    """A value as it is read once it is stored."""
    if isinstance(value, Column):
        return column_read(value, translation)
    return Cast(value, replace(value.type, carried=""), Rules.MYSQL) if _is_text(value, translation) else value


def _is_text(value: Expression, translation: Translation) -> bool:
    return translation.dialect.rules is Rules.MYSQL and value.type.is_char
