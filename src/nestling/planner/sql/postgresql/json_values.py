"""`json ->> 'key'`: the value under constant keys; in PostgreSQL its text, in SQLite a text or number. PostgreSQL's keys may be
places in arrays, which are whole numbers, from the end below 0; a number in a path (`#>>`) is either, so of any type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sqlglot import exp

from nestling.ir.quantity_words import cut
from nestling.ir.reading import ConstantKinds
from nestling.ir.statements.expression import ANY, TRUE, And, Call, Column, Compare, Expression, Literal, Not, Or
from nestling.ir.statements.operators import Comparison, Function, Rules
from nestling.ir.types import BOOLEAN, INTEGER, JSONB, MADE, TEXT, TypeName
from nestling.ir.value_forms.array_text import read_array
from nestling.ir.value_forms.json_text import jsonb_value
from nestling.planner.sql.gaps import mistake, no_constant, statement_gap
from nestling.planner.sql.mysql.json_values import value_text
from nestling.planner.sql.scope import Bind, Env

_INSIDE = (exp.JSONExtract, exp.JSONBExtract)
"""`data -> 'key'` and `data #> '{key}'`."""
_PLACE = re.compile(r"\s*[+-]?\d+")
"""A key by which brackets look into an array, and an arrow does not."""
_MOST = 2**31
"""PostgreSQL's places are of 32 bits."""


def _value(node: exp.JSONExtractScalar, env: Env, bound: Bind) -> Expression:
    """`json -> 'key' ->> 'key'`: an arrow in front of the last goes into an object."""
    if env.dialect.rules is Rules.MYSQL:
        return value_text(node, bound)
    column, keys = _path(node, _keys(node, env), env, bound, of_sqlite=True)
    kind = ANY if env.dialect.is_sqlite else TEXT
    return Call(Function.JSON_VALUE, (column, *keys), kind, env.dialect.rules)


def _value_at(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """`json #>> '{key,key}'`, which is `json -> 'key' ->> 'key'` where no key is the place of an element."""
    column, keys = _path(node, _path_keys(node, env), env, bound)
    return Call(Function.JSON_VALUE, (column, *keys), TEXT, Rules.POSTGRESQL)


def array_length(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """Bind `jsonb_array_length(json -> 'key')`."""
    inside = _uncast(node.expressions[0])
    if isinstance(inside, exp.JSONExtract | exp.JSONBExtract | exp.Bracket):
        column, keys = _path(inside, _keys(inside, env), env, bound)
    else:
        column, keys = _path(exp.Paren(this=inside.copy()), [], env, bound)
    if (column.type.carried == JSONB) is not node.name.casefold().startswith("jsonb"):
        raise mistake(f"{node.name.upper()}() of {'jsonb' if column.type.carried == JSONB else 'json'}", node)
    return Call(Function.JSON_LENGTH, (column, *keys), INTEGER, env.dialect.rules)


def _path_keys(node: exp.Expr, env: Env) -> list[Literal]:
    """The keys of a path, the last first."""
    keys = [_path_key(key) for key in _constant_path(node, env)]
    found = [key for key in keys if key is not None]
    if not found or len(found) < len(keys):
        raise statement_gap(f"`{_written(node, env)}`, whose path does not consist of keys and plain numbers", node)
    return found[::-1]


def _path_key(said: object) -> Literal | None:
    if not isinstance(said, str):
        return None
    if not _PLACE.fullmatch(said):
        return Literal(said, TEXT)
    return Literal(int(said), ANY) if str(int(said)) == said and abs(int(said)) < _MOST else None


def _constant_path(node: exp.Expr, env: Env) -> list[object]:
    """`'{key,key}'` or `ARRAY['key', 'key']`, cast or not."""
    said = node.expression.unnest()
    said = said.this.unnest() if isinstance(said, exp.Cast) else said
    if isinstance(said, exp.Array) and all(
        isinstance(each, exp.Literal) and each.is_string for each in said.expressions
    ):
        return [each.name for each in said.expressions]
    if env.dialect.rules is not Rules.POSTGRESQL or not isinstance(said, exp.Literal) or not said.is_string:
        raise no_constant(f"`{_written(node, env)}`, whose path is not a constant", node, said)
    try:
        return [*read_array(said.name)]
    except ValueError as problem:
        raise mistake(f"the path `{said.name}`: {problem}", node) from None


def equal_json(node: exp.Binary, env: Env, bound: Bind) -> Expression | None:
    """`data -> 'key' = '"text"'::jsonb`, for a constant that is not an array or object; None for other comparisons.

    A value that contains a text, number, boolean or null is equal to it, unless it is an array; only an array contains an empty
    one.
    """
    sides = (node.this.unnest(), node.expression.unnest())
    for side, other in (sides, sides[::-1]):
        inside, said = _uncast(side), other.this.unnest() if isinstance(other, exp.Cast) else other
        if type(inside) in _INSIDE and isinstance(said, exp.Literal) and said.is_string and is_jsonb(inside, bound):
            break
    else:
        return None
    asked = exp.ArrayContainsAll(this=inside.copy(), expression=said.copy())
    found = contains(asked, env, bound)
    if isinstance(jsonb_value(said.name), dict | list):
        raise statement_gap(f"`{_written(node, env)}`, which compares whole arrays or objects", node)
    return And((found, Not(_asked(Function.JSON_CONTAINS, "[]", asked, env, bound))))


def _path(
    node: exp.Expr, keys: list[Literal], env: Env, bound: Bind, *, of_sqlite: bool = False
) -> tuple[Column, list[Literal]]:
    """The column of JSON, and the keys from it to what the node is of; `keys` are the last, the innermost first."""
    inner = _uncast(node.this)
    has_brackets = False
    while isinstance(inner, exp.JSONExtract | exp.JSONBExtract | exp.Bracket):
        has_brackets = has_brackets or isinstance(inner, exp.Bracket)
        keys += _keys(inner, env)
        inner = _uncast(inner.this)
    column = bound(inner) if isinstance(inner, exp.Column) else None
    is_json = isinstance(column, Column) and column.type.name is TypeName.JSON and not column.mixed
    if has_brackets and column is not None and column.type.carried != JSONB:  # which alone has them
        is_json = False
    if column is not None and column.type.carried == MADE:  # whose numbers have other digits
        is_json = False
    is_known = env.dialect.rules is Rules.POSTGRESQL or (of_sqlite and env.dialect.is_sqlite)
    if column is None or not is_json or not is_known:
        raise statement_gap(f"`{_written(node, env)}`, which is not a JSON column with keys", node)
    assert isinstance(column, Column)
    return column, keys[::-1]


def _uncast(node: exp.Expr) -> exp.Expr:
    """The node without parentheses, and without a cast to jsonb of what lies in one."""
    inner: exp.Expr = node.unnest()
    if isinstance(inner, exp.Cast) and inner.to.this is exp.DataType.Type.JSONB:
        within: exp.Expr = inner.this.unnest()
        return within if type(within) in _INSIDE else inner
    return inner


def is_jsonb(node: exp.Expr, bound: Bind) -> bool:
    """Whether it is a column of jsonb, or lies in one under keys."""
    inner = _uncast(node)
    while isinstance(inner, exp.JSONExtract | exp.JSONBExtract | exp.Bracket):
        inner = _uncast(inner.this)
    found = bound(inner) if isinstance(inner, exp.Column) else None
    return found is not None and found.type.name is TypeName.JSON


def contains(node: exp.Binary, env: Env, bound: Bind) -> Expression:
    """`data @> '{…}'` and `data -> 'key' @> '[…]'`."""
    said = node.expression.unnest()
    said = said.this.unnest() if isinstance(said, exp.Cast) else said
    if not isinstance(said, exp.Literal) or not said.is_string:
        raise no_constant(
            f"`{_written(node, env)}`, whose JSON is not a constant", node, said, kinds=ConstantKinds(json=True)
        )
    try:
        jsonb_value(said.name)
    except ValueError:
        raise mistake(f"`{said.name}` is not JSON", node) from None
    return _asked(Function.JSON_CONTAINS, said.name, node, env, bound)


def is_inside(node: exp.Expr) -> bool:
    """Whether it is `data -> 'key'` or `data #> '{key}'`."""
    return type(_uncast(node)) in _INSIDE


def is_present(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """Whether `data -> 'key'` is not NULL: what is in front of the arrow is an object that has the key, JSON's null too."""
    inside = _uncast(node)
    assert isinstance(inside, exp.JSONExtract | exp.JSONBExtract)
    last, *before = _keys(inside, env)
    if last.type != TEXT:
        raise statement_gap(f"`{_written(inside, env)}` IS NULL, which selects an element by its position", inside)
    has_key = _asked(Function.JSON_HAS, str(last.value), inside, env, bound, before)
    is_object = _asked(Function.JSON_CONTAINS, "{}", inside, env, bound, before)
    return Compare(Comparison.SAME, And((has_key, is_object)), TRUE)


def _has(node: exp.Binary, env: Env, bound: Bind) -> Expression:
    """`data ? 'key'`."""
    said = node.expression.unnest()
    if not isinstance(said, exp.Literal) or not said.is_string:
        raise no_constant(f"`{_written(node, env)}`, whose key is not a constant text", node, said)
    return _asked(Function.JSON_HAS, said.name, node, env, bound)


def _has_of(*, every: bool) -> Callable[..., Expression]:
    """`data ?| array['a', 'b']` and `data ?& …`."""

    def call(node: exp.Binary, env: Env, bound: Bind) -> Expression:
        said = node.expression.unnest()
        items = said.expressions if isinstance(said, exp.Array) else []
        if not items or not all(isinstance(each, exp.Literal) and each.is_string for each in items):
            raise statement_gap(f"`{_written(node, env)}`, whose keys are not constant texts", node)
        each = tuple(_asked(Function.JSON_HAS, item.name, node, env, bound) for item in items)
        return And(each) if every else Or(each)

    return call


def _asked(
    function: Function, text: str, node: exp.Expr, env: Env, bound: Bind, before: Sequence[Literal] = ()
) -> Expression:
    """`before`: keys behind which it is asked, the last first, besides those in front of the operator."""
    column, keys = _path(node, [*before], env, bound)
    if column.type.carried != JSONB:
        raise statement_gap(f"`{_written(node, env)}`, which is only for jsonb", node)
    if any(key.type != TEXT for key in keys):
        raise statement_gap(f"`{_written(node, env)}`, which selects an element by its position", node)
    return Call(function, (column, Literal(text, TEXT), *keys), BOOLEAN, env.dialect.rules)


def _keys(node: exp.JSONExtract | exp.JSONBExtract | exp.JSONExtractScalar | exp.Bracket, env: Env) -> list[Literal]:
    """The keys it goes along, the last first: SQLite's path may have several, as has that of `#>`."""
    if isinstance(node, exp.JSONBExtract):
        return _path_keys(node, env)
    match node.expression if env.dialect.is_sqlite and not node.expressions else None:
        case exp.JSONPath(expressions=[exp.JSONPathRoot(), *steps]) if len(steps) > 1 and all(
            isinstance(step, exp.JSONPathKey) and isinstance(step.this, str) for step in steps
        ):
            return [Literal(step.this, TEXT) for step in reversed(steps)]
        case _:
            return [_key(node, env)]


def _key(node: exp.JSONExtract | exp.JSONExtractScalar | exp.Bracket, env: Env) -> Literal:
    said = node.expressions[0] if isinstance(node, exp.Bracket) else node.expression
    place = _place(said) if env.dialect.rules is Rules.POSTGRESQL and not isinstance(node, exp.Bracket) else None
    if place is not None:
        return Literal(place, INTEGER)
    match said:
        case exp.JSONPath(expressions=[exp.JSONPathRoot(), exp.JSONPathKey(this=str(key))]):
            return Literal(key, TEXT)
        case exp.Literal(is_string=True) if len(node.expressions) == 1 and not _PLACE.fullmatch(said.name):
            return Literal(said.name, TEXT)
        case _ if said.find(exp.JSONPathSubscript) or _PLACE.fullmatch(said.name):
            raise statement_gap(f"`{_written(node, env)}`, which selects an array element by its position", node)
        case _:
            raise no_constant(f"`{_written(node, env)}`, whose key is not a constant text", node, said)


def _place(said: exp.Expr) -> int | None:
    """The place of an element that an arrow takes: a whole number, whose sign sqlglot leaves in front."""
    match said.unnest():
        case exp.JSONPath(expressions=[exp.JSONPathRoot(), exp.JSONPathSubscript(this=int(place))]):
            return place if abs(place) < _MOST else None
        case exp.Neg(this=exp.Literal(is_string=False) as number) if number.name.isdecimal():
            return -int(number.name) if int(number.name) < _MOST else None
        case _:
            return None


def _written(node: exp.Expr, env: Env) -> str:
    return cut(node.sql(dialect=env.dialect.grammar))


JSON_VALUES: dict[type[exp.Expr], Callable[..., Expression]] = {
    exp.JSONExtractScalar: _value,
    exp.JSONBExtractScalar: _value_at,
    exp.JSONBContainsTopKey: _has,
    exp.JSONBContainsAnyTopKeys: _has_of(every=False),
    exp.JSONBContainsAllTopKeys: _has_of(every=True),
}
