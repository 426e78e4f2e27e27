"""PostgreSQL's rows as one value, `row_to_json(t)` and `count(t)`, where a table's name stands for its row."""

from __future__ import annotations

from sqlglot import exp

from nestling.ir.statements.expression import Column
from nestling.ir.statements.operators import Rules
from nestling.planner.sql.gaps import statement_gap
from nestling.planner.sql.scope import Env, FromSource


def row_of(node: exp.Expr, env: Env) -> FromSource | None:
    """The table whose row `t.*` is, or `t` if that is not a column."""
    if not isinstance(node, exp.Column) or env.dialect.rules is not Rules.POSTGRESQL:
        return None
    name = node.table if isinstance(node.this, exp.Star) else node.name
    is_row = isinstance(node.this, exp.Star) or not (node.table or env.find(node))
    return env.scope.source(name) if is_row else None


def present(source: FromSource, node: exp.Expr, env: Env) -> exp.Expr:
    """A column that is NULL only where the source has no row, as in an outer join; a star where it has one for certain."""
    columns = [(name, column) for name, column in source.columns if isinstance(column, Column)]
    if len(env.scope.sources) == 1 or any(not column.nullable for _, column in columns):
        return exp.Star()
    for name, column in columns:
        entity = env.translation.scans.get(column.alias)
        if entity is not None and not entity.attribute(column.name).nullable:
            return exp.column(name, source.name, quoted=True)
    raise statement_gap(f"rows of `{source.name}`, which has no column that is never NULL; name a column", node)


def object_of(node: exp.Expr, env: Env) -> exp.Expr | None:
    """The row as `json_build_object` of its columns, NULL if there is no row; None for anything but a row."""
    source = row_of(node.unnest(), env)
    if source is None:
        return None
    pairs = [
        part
        for name, _ in source.columns
        for part in (exp.Literal.string(name), exp.column(name, source.name, quoted=True))
    ]
    made = exp.Anonymous(this="json_build_object", expressions=pairs)
    told = present(source, node, env)
    if isinstance(told, exp.Star):
        return made
    return exp.Case(ifs=[exp.If(this=exp.Not(this=exp.Is(this=told, expression=exp.null())), true=made)])
