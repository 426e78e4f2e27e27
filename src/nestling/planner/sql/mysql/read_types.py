"""MySQL's `char(n)` and FLOAT as what reads them sees them: a text without blanks at its end, and a double."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.statements.algebra import Distinct, Filter, LimitOffset, Project, Relation, Scan, Sort
from nestling.ir.statements.expression import Cast, Column, Expression
from nestling.ir.statements.operators import Rules
from nestling.ir.types import CHAR, SINGLE
from nestling.planner.sql.scope import Translation


def column_read(column: Column, translation: Translation) -> Column:
    """The column, which is of plain values where its attribute is of one of these types."""
    return replace(column, type=replace(column.type, carried="")) if _is_own(column, translation) else column


def as_read(value: Expression, translation: Translation) -> Expression:
    """A value as it is read once it is stored."""
    if isinstance(value, Column):
        return column_read(value, translation)
    return Cast(value, replace(value.type, carried=""), Rules.MYSQL) if _is_own(value, translation) else value


def is_single(value: Expression, translation: Translation, rows: Relation | None = None) -> bool:
    """Whether it is a column of FLOAT, perhaps of the `rows` of a query, so that its values have single precision."""
    if not isinstance(value, Column):
        return False
    if (entity := translation.scans.get(value.alias)) is not None and value.name in entity:
        return entity.attribute(value.name).type.carried == SINGLE
    match rows:
        case Project(alias=alias, outputs=outputs) if alias == value.alias:
            found = next((each.expression for each in outputs if each.name == value.name), None)
            return found is not None and is_single(found, translation, rows.input)
        case Project() | Scan() | None:
            return False
        case Filter() | Sort() | LimitOffset() | Distinct():
            return is_single(value, translation, rows.input)
        case _:
            return False


def _is_own(value: Expression, translation: Translation) -> bool:
    return translation.dialect.rules is Rules.MYSQL and value.type.carried in (CHAR, SINGLE)
