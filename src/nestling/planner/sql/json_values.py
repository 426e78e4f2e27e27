"""PostgreSQL's `json ->> 'key'`: the value under constant keys, as a text."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from nestling.ir.expression import Call, Column, Expression, Function, Literal, Rules
from nestling.ir.types import TEXT, TypeName
from nestling.planner.sql.gaps import statement_gap
from nestling.planner.sql.scope import Bound, Env


def _value(node: exp.JSONExtractScalar, env: Env, bound: Bound) -> Expression:
    """`json -> 'key' ->> 'key'`: an arrow in front of the last goes into an object."""
    keys = [_key(node, env)]
    inner = node.this.unnest()
    while isinstance(inner, exp.JSONExtract):
        keys.append(_key(inner, env))
        inner = inner.this.unnest()
    column = bound(inner) if isinstance(inner, exp.Column) else None
    is_json = isinstance(column, Column) and column.type.name is TypeName.JSON and not column.mixed
    if column is None or not is_json or env.dialect.rules is not Rules.POSTGRESQL:
        raise statement_gap(f"`{_written(node, env)}`, which is no column of JSON and its keys", node)
    path = (Literal(key, TEXT) for key in reversed(keys))
    return Call(Function.JSON_VALUE, (column, *path), TEXT, env.dialect.rules)


def _key(node: exp.JSONExtract | exp.JSONExtractScalar, env: Env) -> str:
    match node.expression:
        case exp.JSONPath(expressions=[exp.JSONPathRoot(), exp.JSONPathKey(this=str(key))]):
            return key
        case _:
            raise statement_gap(f"`{_written(node, env)}`, whose key is no constant text", node)


def _written(node: exp.Expr, env: Env) -> str:
    return node.sql(dialect=env.dialect.grammar)[:40]


JSON_VALUES: dict[type[exp.Expr], Callable[..., Expression]] = {exp.JSONExtractScalar: _value}
