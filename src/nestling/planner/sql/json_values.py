"""`json ->> 'key'`: the value under constant keys; in PostgreSQL its text, in SQLite a text or number."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from nestling.ir.expression import ANY, Call, Column, Expression, Function, Literal, Rules
from nestling.ir.types import JSONB, TEXT, TypeName
from nestling.planner.sql.gaps import no_constant, statement_gap
from nestling.planner.sql.scope import Bound, Env

_PLACE = re.compile(r"\s*[+-]?\d+")
"""A key by which brackets look into an array, and an arrow does not."""


def _value(node: exp.JSONExtractScalar, env: Env, bound: Bound) -> Expression:
    """`json -> 'key' ->> 'key'`: an arrow in front of the last goes into an object."""
    keys = [_key(node, env)]
    inner = node.this.unnest()
    has_brackets = False
    while isinstance(inner, exp.JSONExtract | exp.Bracket):
        has_brackets = has_brackets or isinstance(inner, exp.Bracket)
        keys.append(_key(inner, env))
        inner = inner.this.unnest()
    column = bound(inner) if isinstance(inner, exp.Column) else None
    is_json = isinstance(column, Column) and column.type.name is TypeName.JSON and not column.mixed
    if has_brackets and column is not None and column.type.carried != JSONB:  # which alone has them
        is_json = False
    if column is None or not is_json or env.dialect.rules is Rules.MYSQL:
        raise statement_gap(f"`{_written(node, env)}`, which is no column of JSON and its keys", node)
    path = (Literal(key, TEXT) for key in reversed(keys))
    return Call(Function.JSON_VALUE, (column, *path), ANY if env.dialect.is_sqlite else TEXT, env.dialect.rules)


def _key(node: exp.JSONExtract | exp.JSONExtractScalar | exp.Bracket, env: Env) -> str:
    said = node.expressions[0] if isinstance(node, exp.Bracket) else node.expression
    match said:
        case exp.JSONPath(expressions=[exp.JSONPathRoot(), exp.JSONPathKey(this=str(key))]):
            return key
        case exp.Literal(is_string=True) if len(node.expressions) == 1 and not _PLACE.fullmatch(said.name):
            return said.name
        case _:
            raise no_constant(f"`{_written(node, env)}`, whose key is no constant text", node, said)


def _written(node: exp.Expr, env: Env) -> str:
    return node.sql(dialect=env.dialect.grammar)[:40]


JSON_VALUES: dict[type[exp.Expr], Callable[..., Expression]] = {exp.JSONExtractScalar: _value}
