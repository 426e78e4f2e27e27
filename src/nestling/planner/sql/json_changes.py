"""PostgreSQL's changes of jsonb: `data || '{…}'`, `data - 'key'`, `jsonb_set(data, '{key}', '…')`."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from nestling.ir.statements.expression import AttributeCast, Call, Cast, Expression, Literal, Parameter
from nestling.ir.statements.operands import is_mixed
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import JSONB, TEXT, TypeName
from nestling.ir.value_forms.array_text import read_array
from nestling.ir.value_forms.json_text import jsonb_value
from nestling.planner.sql.called import sql_as_written
from nestling.planner.sql.gaps import mistake, statement_gap
from nestling.planner.sql.scope import Bind, Env

_PLAIN = frozenset({TypeName.TEXT, TypeName.ENUM, TypeName.INTEGER, TypeName.BOOLEAN})
"""Types whose values stand in JSON as they are kept."""


def is_jsonb(value: Expression) -> bool:
    """Whether it is a column of jsonb, or made of one."""
    if isinstance(value, Cast | Literal | Parameter) or is_mixed(value):
        return False
    return value.type.name is TypeName.JSON and value.type.carried == JSONB


def merged(node: exp.DPipe, env: Env, bound: Bind) -> Expression:
    """`data || '{…}'`: objects one over the other."""
    first, *others = [bound(each) for each in node.flatten()]
    if not is_jsonb(first):
        raise statement_gap(
            f"{sql_as_written(node, env.dialect.grammar)}, a jsonb operator whose left side is not jsonb", node
        )
    for other in others:
        value = other if is_jsonb(other) else _object(other, first, node)
        first = Call(Function.JSON_MERGE, (first, value), first.type, env.dialect.rules)
    return first


def _object(value: Expression, beside: Expression, node: exp.Expr) -> Expression:
    """A constant, or a parameter, that is an object."""
    found = _constant(value, beside, node)
    inner = found.operand if isinstance(found, AttributeCast) else found
    if isinstance(inner, Literal) and not isinstance(jsonb_value(str(inner.value)), dict):
        raise statement_gap("|| of jsonb and a value that is not an object", node)
    return found


def _constant(value: Expression, beside: Expression, node: exp.Expr) -> Expression:
    inner = value.operand if isinstance(value, Cast) else value
    if isinstance(inner, Parameter):
        return AttributeCast(replace(inner, type=beside.type), beside.type, Rules.POSTGRESQL)
    if not isinstance(inner, Literal) or not isinstance(inner.value, str):
        raise statement_gap(f"jsonb changed by {value.type}; give its JSON as a constant or a parameter", node)
    try:
        jsonb_value(inner.value)
    except ValueError:
        raise mistake(f"`{inner.value}` is not JSON", node) from None
    return AttributeCast(inner, beside.type, Rules.POSTGRESQL)


def _part(tree: exp.Expr, json: Expression, node: exp.Expr, bound: Bind) -> Expression:
    """What stands under a key: a constant, or `to_jsonb` of a value that JSON has as it is kept."""
    if (
        isinstance(tree, exp.Anonymous)
        and tree.name.casefold() in ("to_jsonb", "to_json")
        and len(tree.expressions) == 1
    ):
        value = bound(tree.expressions[0])
        if value.type.name not in _PLAIN or value.type.carried or is_mixed(value):
            raise statement_gap(f"JSONB_SET() to {value.type}", node)
        return value
    value = bound(tree)
    inner = value.operand if isinstance(value, Cast) else value
    if isinstance(inner, Parameter):
        raise statement_gap("JSONB_SET() to a parameter; write `to_jsonb(:x::text)`", node)
    found = _constant(value, json, node)
    assert isinstance(found, AttributeCast)
    assert isinstance(found.operand, Literal)
    known = jsonb_value(str(found.operand.value))
    if known is None:
        raise statement_gap("JSONB_SET() to a JSON null", node)
    return Literal(known, TEXT) if isinstance(known, str) else found


def without(node: exp.Sub, left: Expression, right: Expression, env: Env) -> Expression:
    """Bind `data - 'key'`."""
    if not isinstance(right, Literal) or not isinstance(right.value, str):
        raise statement_gap(f"{sql_as_written(node, env.dialect.grammar)}, whose key is not a constant text", node)
    return Call(Function.JSON_WITHOUT, (left, right), left.type, env.dialect.rules)


def set_under(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """Bind `jsonb_set(data, '{key}', '…')`."""
    parts = node.expressions
    path = parts[1].unnest() if len(parts) == 3 else None
    if (
        path is None
        or not isinstance(path, exp.Literal)
        or not path.is_string
        or env.dialect.rules is not Rules.POSTGRESQL
    ):
        raise statement_gap("JSONB_SET() of other than jsonb, a constant path and a value", node)
    json = bound(parts[0])
    if not is_jsonb(json):
        raise statement_gap(f"JSONB_SET() of {json.type}", node)
    try:
        keys = read_array(path.name)
    except ValueError as problem:
        raise mistake(f"the path `{path.name}`: {problem}", node) from None
    if not keys or any(key is None or key.lstrip("-").isdigit() for key in keys):
        raise statement_gap("JSONB_SET() with a path of other than keys, such as a position in an array", node)
    value = _part(parts[2].unnest(), json, node, bound)
    return Call(Function.JSON_SET, (json, value, *(Literal(key, TEXT) for key in keys)), json.type, env.dialect.rules)
