"""MySQL's JSON by constant paths of keys: `JSON_UNQUOTE(JSON_EXTRACT(…))`, `->>`, `JSON_CONTAINS` and `JSON_CONTAINS_PATH`."""

from __future__ import annotations

import json
from collections.abc import Callable

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.jsonpath import parse

from nestling.ir.statements.expression import And, Call, Column, Expression, Literal, Or
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import BOOLEAN, INTEGER, TEXT, TypeName
from nestling.ir.value_forms.json_text import jsonb_value
from nestling.planner.sql.called import sql_as_written
from nestling.planner.sql.gaps import mistake, no_constant, statement_gap
from nestling.planner.sql.scope import Bind, Env


def value_text(node: exp.Expr, bound: Bind) -> Expression:
    """`JSON_UNQUOTE(JSON_EXTRACT(data, '$."key"'))` and `data->>'$.key'`: the text, which of JSON's null is `null`."""
    inner = node if isinstance(node, exp.JSONExtractScalar) else node.expressions[0].unnest()
    if not isinstance(inner, exp.JSONExtract | exp.JSONExtractScalar) or len(inner.expressions) > 0:
        raise statement_gap("JSON_UNQUOTE() of other than JSON_EXTRACT() with one path", node)
    column = _column(inner.this, node, bound)
    keys = _keys(inner.expression, node)
    if not keys:
        raise statement_gap("JSON_UNQUOTE() of a whole document", node)
    return Call(Function.JSON_VALUE, (column, *_texts(keys)), TEXT, Rules.MYSQL)


def _contains(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """`JSON_CONTAINS(data, '{…}')`; of what lies under a path that is not there MySQL knows nothing, MariaDB says no."""
    _require_mysql(node, env)
    if len(node.expressions) != 2:
        raise statement_gap("JSON_CONTAINS() of other than a column and JSON; MySQL and MariaDB differ on a path", node)
    target, said = node.expressions
    if not isinstance(said, exp.Literal) or not said.is_string:
        raise no_constant("JSON_CONTAINS() of JSON that is not a constant", node, said)
    try:
        value = jsonb_value(said.name)
    except ValueError:
        raise mistake(f"`{said.name}` is not JSON", node) from None
    if _has_array_in_array(value):
        raise statement_gap("JSON_CONTAINS() of an array in an array, where MySQL and MariaDB differ", node)
    return Call(Function.JSON_CONTAINS, (_column(target, node, bound), Literal(said.name, TEXT)), BOOLEAN, Rules.MYSQL)


def _has_array_in_array(value: object, *, in_array: bool = False) -> bool:
    match value:
        case dict():
            return any(map(_has_array_in_array, value.values()))
        case list():
            return in_array or any(_has_array_in_array(each, in_array=True) for each in value)
        case _:
            return False


def _contains_path(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """`JSON_CONTAINS_PATH(data, 'one', path, …)`."""
    _require_mysql(node, env)
    if len(node.expressions) < 3:
        raise mistake("JSON_CONTAINS_PATH() takes a column, 'one' or 'all', and paths", node)
    target, said, *paths = node.expressions
    word = said.name.casefold() if isinstance(said, exp.Literal) else ""
    if word not in ("one", "all"):
        raise no_constant("JSON_CONTAINS_PATH() with other than 'one' or 'all' and paths", node, said)
    column, each = _column(target, node, bound), []
    for path in paths:
        *before, last = _keys(path, node) or [""]
        if not last:
            raise statement_gap("JSON_CONTAINS_PATH() with a path without keys", node)
        each.append(Call(Function.JSON_HAS, (column, *_texts((last, *before))), BOOLEAN, Rules.MYSQL))
    if len(each) == 1:
        return each[0]
    return And(tuple(each)) if word == "all" else Or(tuple(each))


def _length(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """`JSON_LENGTH(data)` and `JSON_LENGTH(data, '$.key')`: of an array or object how many values it has, of others 1."""
    _require_mysql(node, env)
    if not 1 <= len(node.expressions) <= 2:
        raise mistake("JSON_LENGTH() takes a column and maybe a path", node)
    column = _column(node.expressions[0], node, bound)
    keys = _keys(node.expressions[1], node) if len(node.expressions) > 1 else []
    return Call(Function.JSON_LENGTH, (column, *_texts(keys)), INTEGER, Rules.MYSQL)


def _unquoted(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    _require_mysql(node, env)
    return value_text(node, bound)


def _require_mysql(node: exp.Expr, env: Env) -> None:
    if env.dialect.rules is not Rules.MYSQL:
        raise statement_gap(f"{node.name.upper()}() function", node)


def _column(node: exp.Expr, whole: exp.Expr, bound: Bind) -> Column:
    inner = node.unnest()
    found = bound(inner) if isinstance(inner, exp.Column) else None
    if not isinstance(found, Column) or found.type.name is not TypeName.JSON or found.mixed:
        raise statement_gap(f"{sql_as_written(whole, 'mysql')}, which is not on a JSON column", whole)
    return found


def _keys(path: exp.Expr, node: exp.Expr) -> list[str]:
    """The keys of a path, the outermost first."""
    found: exp.Expr = path
    if isinstance(path, exp.Literal) and path.is_string:
        try:
            found = parse(path.name)
        except SqlglotError:
            raise mistake(f"`{path.name}` is not a JSON path", node) from None
    match found:
        case exp.JSONPath(expressions=[exp.JSONPathRoot(), *steps]) if all(
            isinstance(step, exp.JSONPathKey) and isinstance(step.this, str) for step in steps
        ):
            return [str(step.this) for step in steps]
        case _:
            raise no_constant(
                f"{sql_as_written(node, 'mysql')}, whose path does not consist of constant keys", node, path
            )


def _texts(texts: tuple[str, ...] | list[str]) -> tuple[Literal, ...]:
    return tuple(Literal(each, TEXT) for each in texts)


def constant_beside(node: exp.Expr, other: exp.Expr, env: Env) -> exp.Expr:
    """`JSON_EXTRACT('"x"', '$')` beside the text of a value in JSON: the text that MariaDB compares that with."""
    inner, beside = node.unnest(), other.unnest()
    is_constant = isinstance(inner, exp.JSONExtract) and isinstance(inner.this, exp.Literal) and inner.this.is_string
    is_value = isinstance(beside, exp.JSONExtractScalar) or beside.name.casefold() == "json_unquote"
    if env.dialect.rules is not Rules.MYSQL or not is_constant or not is_value or _keys(inner.expression, inner):
        return node
    text = inner.this.name.strip()
    try:
        value = json.loads(text)
    except ValueError:
        raise mistake(f"`{text}` is not JSON", inner) from None
    if isinstance(value, dict | list):
        raise statement_gap("a comparison of a value in JSON with an object or array", inner)
    return exp.Literal.string(value if isinstance(value, str) else text)


JSON_NAMES: dict[str, Callable[[exp.Expr, Env, Bind], Expression]] = {
    "json_unquote": _unquoted,
    "json_contains": _contains,
    "json_length": _length,
    "json_contains_path": _contains_path,
}
