"""PostgreSQL's JSON made of values: `json_build_object`, `json_build_array`, `to_jsonb`; what JSON has for a value."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from nestling.ir.statements.expression import (
    NULL,
    AttributeCast,
    Call,
    Case,
    Column,
    Expression,
    Literal,
    Parameter,
    ScalarSubquery,
)
from nestling.ir.statements.operands import is_mixed
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import JSONB, MADE, TEXT, Type, TypeName
from nestling.planner.sql import conversions as values
from nestling.planner.sql.gaps import mistake, no_constant, statement_gap
from nestling.planner.sql.postgresql.whole_rows import object_of
from nestling.planner.sql.scope import Bind, Env, Handler

KIND = Type(TypeName.JSON, carried=MADE)
_AS_KEPT = frozenset({TypeName.BOOLEAN, TypeName.INTEGER, TypeName.FLOAT, TypeName.TEXT, TypeName.ENUM})
"""Types of which JSON has the values as MongoDB keeps them."""
_CONVERTED = frozenset({TypeName.JSON, TypeName.DECIMAL})

_TEXTS = frozenset({TypeName.TEXT, TypeName.ENUM, TypeName.DATE})


def as_part(value: Expression, what: str, node: exp.Expr, env: Env) -> Expression:
    """A value as it stands in JSON; NULL stays NULL."""
    kind = value.type
    if isinstance(value, Call) and value.function is Function.COALESCE and kind == KIND:
        return replace(value, arguments=tuple(as_part(each, what, node, env) for each in value.arguments))
    if isinstance(value, Case) and kind == KIND:
        branches = tuple((condition, as_part(each, what, node, env)) for condition, each in value.branches)
        return replace(value, branches=branches, default=as_part(value.default, what, node, env))
    if value == NULL or _is_made(value) or (_is_as_kept(kind) and not is_mixed(value)):
        return value
    is_found = isinstance(value, Column | ScalarSubquery) and kind == KIND  # which may be JSON of a column, too
    if kind.name in _CONVERTED and (is_found or kind.carried in ("", JSONB)) and not is_mixed(value):
        return Call(Function.JSON_PART, (value,), KIND, env.dialect.rules)
    if kind.name is TypeName.DATE and not is_mixed(value) and not isinstance(value, Literal):
        return values.text(value, env.translation)
    if isinstance(value, Parameter) and not _is_as_kept(kind):
        raise statement_gap(f"{what} of a parameter whose type is not given by a cast", node)
    if kind == KIND:
        raise statement_gap(
            f"{what} of constructed JSON, except by json_agg and its kin, a subquery, CASE or coalesce of these", node
        )
    raise statement_gap(f"{what} of {kind}" + (" and other values" if is_mixed(value) else ""), node)


def _is_made(value: Expression) -> bool:
    """Whether it is JSON already: made here, or an empty list or object that is written down."""
    if isinstance(value, AttributeCast) and value.type == KIND:
        return isinstance(value.operand, Literal) and value.operand.value in ("[]", "{}")
    return isinstance(value, Call) and value.function in (Function.JSON_OBJECT, Function.JSON_ARRAY, Function.JSON_PART)


def _is_as_kept(kind: Type) -> bool:
    kind = kind.element or kind
    return kind.name in _AS_KEPT and not kind.carried


def _object(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """`json_build_object('key', value, …)`."""
    parts = node.expressions
    if len(parts) % 2:
        raise mistake(f"{node.name.upper()}() takes a value for each key", node)
    arguments: list[Expression] = []
    for key, value in zip(parts[::2], parts[1::2], strict=True):
        arguments += [_key(key, node), as_part(bound(value), node.name.upper(), node, env)]
    return Call(Function.JSON_OBJECT, tuple(arguments), KIND, env.dialect.rules)


def _key(key: exp.Expr, node: exp.Expr) -> Literal:
    inner = key.this if isinstance(key, exp.Cast) else key
    if not isinstance(inner, exp.Literal) or not inner.is_string:
        raise no_constant(f"{node.name.upper()}() with a key that is not a constant text", node, inner)
    if not inner.name or "." in inner.name or inner.name.startswith("$"):
        raise statement_gap(f"{node.name.upper()}() with the key `{inner.name}`, which cannot be a field name", node)
    return Literal(inner.name, TEXT)


def _array(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """`json_build_array(value, …)`."""
    parts = tuple(as_part(bound(value), node.name.upper(), node, env) for value in node.expressions)
    return Call(Function.JSON_ARRAY, parts, KIND, env.dialect.rules)


def _to_json(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """`to_jsonb(value)`."""
    if len(node.expressions) != 1:
        raise mistake(f"{node.name.upper()}() takes one argument, not {len(node.expressions)}", node)
    if (row := object_of(node.expressions[0], env)) is not None:
        return bound(row)
    value = bound(node.expressions[0])
    if value.type.name in _TEXTS:
        raise statement_gap(f"{node.name.upper()}() of {value.type}, whose JSON is text again", node)
    return Call(Function.JSON_PART, (as_part(value, node.name.upper(), node, env),), KIND, env.dialect.rules)


def _row(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """`row_to_json(table)`."""
    row = object_of(node.expressions[0], env) if len(node.expressions) == 1 else None
    if row is None:
        raise statement_gap("ROW_TO_JSON() of other than a table in FROM", node)
    return bound(row)


def _in_postgresql(handler: Handler) -> Handler:
    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:
        if env.dialect.rules is not Rules.POSTGRESQL:
            raise statement_gap(f"{node.name.upper()}() function", node)
        return handler(node, env, bound)

    return call


JSON_BUILDERS: dict[str, Handler] = {
    **dict.fromkeys(("json_build_object", "jsonb_build_object"), _in_postgresql(_object)),
    **dict.fromkeys(("json_build_array", "jsonb_build_array"), _in_postgresql(_array)),
    **dict.fromkeys(("to_json", "to_jsonb"), _in_postgresql(_to_json)),
    "row_to_json": _in_postgresql(_row),
}
