"""Rows that stand in an INSERT: each value is kept as by itself, whatever stands in the same column of another row."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from nestling.ir.model import Attribute
from nestling.ir.statements.algebra import Values
from nestling.ir.statements.expression import ANY, NULL, Expression, Literal, Parameter
from nestling.ir.types import Type, TypeName
from nestling.planner.sql import common_type as one_value
from nestling.planner.sql.changes.assignments import stored
from nestling.planner.sql.expressions import bind
from nestling.planner.sql.queries import values_of
from nestling.planner.sql.scope import Env, Translation


def written_rows(node: exp.Values, attributes: Sequence[Attribute], env: Env) -> Values | None:
    """Rows of VALUES with a column of several types, so that they are not a table with one type for it.

    Of 5 and 1.50 a text column gets "5" and "1.50". None for other rows, for those with a WITH, an order or a limit of their own,
    and in SQLite, whose VALUES convert nothing.
    """
    rows = [row.expressions for row in node.expressions]
    is_plain = not any(node.args.get(name) for name in ("with_", "order", "limit", "offset"))
    if env.translation.dialect.is_sqlite or not is_plain or any(len(row) != len(attributes) for row in rows):
        return None
    cells = [*zip(*([bind(cell, env) for cell in row] for row in rows), strict=True)]
    if not any(map(_differ, cells)):
        return None
    made = [_made(column, attribute, env.translation) for column, attribute in zip(cells, attributes, strict=True)]
    return values_of(made, env.translation.alias("rows"))


def _differ(cells: Sequence[Expression]) -> bool:
    """Whether values have several types; NULL has none, nor has a parameter that takes any value."""
    told = (each for each in cells if each != NULL and not (isinstance(each, Parameter) and each.type == ANY))
    return len({each.type for each in told}) > 1


def _made(
    cells: Sequence[Expression], attribute: Attribute, translation: Translation
) -> tuple[tuple[Expression, ...], Type]:
    """A column's values, as the attribute keeps each where they differ, and their type; bits are kept later."""
    if not _differ(cells):
        return one_value.common(cells, translation)
    if attribute.type.name is TypeName.BITS:
        return (*cells,), attribute.type
    nothing = Literal(None, attribute.type)
    return tuple(nothing if each == NULL else stored(each, attribute, translation) for each in cells), attribute.type
