"""Comparisons, IS, BETWEEN, LIKE and GLOB, and the collation each of them uses."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from nestling.ir.expression import (
    FALSE,
    TRUE,
    And,
    Call,
    CaseRule,
    Collation,
    Comparison,
    Expression,
    Function,
    IsNull,
    Like,
    Not,
    Parameter,
    Rules,
    conjunction,
)
from nestling.ir.types import BOOLEAN, TEXT
from nestling.planner.sql import values
from nestling.planner.sql.gaps import gap
from nestling.planner.sql.scope import Bound, Env

_COMPARISONS: dict[type[exp.Expr], Comparison] = {
    exp.EQ: Comparison.EQUAL,
    exp.NEQ: Comparison.NOT_EQUAL,
    exp.LT: Comparison.LESS,
    exp.LTE: Comparison.LESS_OR_EQUAL,
    exp.GT: Comparison.GREATER,
    exp.GTE: Comparison.GREATER_OR_EQUAL,
    exp.NullSafeEQ: Comparison.SAME,
    exp.NullSafeNEQ: Comparison.DIFFERENT,
}
_COLLATIONS = {"binary": Collation.BINARY, "nocase": Collation.NOCASE, "rtrim": Collation.RTRIM, "c": Collation.BINARY}


def collation(env: Env, *nodes: exp.Expr | None) -> Collation:
    """The collation a comparison of these uses: the first that says one, else the dialect's."""
    for node in nodes:
        inner = node
        while isinstance(inner, exp.Paren | exp.Ordered | exp.Distinct | exp.Alias):
            inner = inner.expressions[0] if isinstance(inner, exp.Distinct) else inner.this
        if isinstance(inner, exp.Collate):
            name = inner.expression.name.casefold()
            if name in _COLLATIONS:
                return _COLLATIONS[name]
            if name.endswith("_bin"):
                return Collation.BINARY
            if name.endswith("_ci"):
                return Collation.UNICODE_CI
            raise gap(f"collation `{name}`", inner)
    return env.dialect.collation


def comparison(node: exp.Binary, env: Env, bound: Bound) -> Expression:
    """`left operator right`, for values and for rows."""
    if isinstance(node.this, exp.Tuple) and isinstance(node.expression, exp.Tuple):
        return row_comparison(node, env, bound)
    left, right = bound(node.this), bound(node.expression)
    rule = collation(env, node.this, node.expression)
    return values.compare(_COMPARISONS[type(node)], left, right, env.translation, rule)


def row_comparison(node: exp.Binary, env: Env, bound: Bound) -> Expression:
    """Two rows, value by value."""
    lefts, rights = node.this.expressions, node.expression.expressions
    if len(lefts) != len(rights) or not isinstance(node, exp.EQ | exp.NEQ):
        raise gap("an ordered comparison of rows", node)
    pairs = (
        comparison(exp.EQ(this=left, expression=right), env, bound) for left, right in zip(lefts, rights, strict=True)
    )
    same = conjunction(*pairs)
    assert same is not None
    return same if isinstance(node, exp.EQ) else Not(same)


def _is(node: exp.Is, env: Env, bound: Bound) -> Expression:
    found = _is_plainly(node, env, bound)
    return Not(found) if node.args.get("negate") else found


def _is_plainly(node: exp.Is, env: Env, bound: Bound) -> Expression:
    operand, other = bound(node.this), node.expression
    if isinstance(other, exp.Null):
        return IsNull(operand)
    if isinstance(other, exp.Boolean):
        condition = values.truth(operand, env.translation)
        return values.compare(Comparison.SAME, condition, TRUE if other.this else FALSE, env.translation)
    return values.compare(Comparison.SAME, operand, bound(other), env.translation, collation(env, node.this, other))


def _between(node: exp.Between, env: Env, bound: Bound) -> Expression:
    operand = bound(node.this)
    rule = collation(env, node.this, node.args["low"])
    low = values.compare(Comparison.GREATER_OR_EQUAL, operand, bound(node.args["low"]), env.translation, rule)
    high = values.compare(Comparison.LESS_OR_EQUAL, operand, bound(node.args["high"]), env.translation, rule)
    return And((low, high))


_LIKE_CASES: dict[type[exp.Expr], CaseRule | None] = {exp.Like: None, exp.ILike: CaseRule.UNICODE}


def _like(node: exp.Expr, env: Env, bound: Bound, escape: str | None = None) -> Expression:
    case = _LIKE_CASES[type(node)] or env.dialect.like
    if collation(env, node.this, node.expression) is Collation.BINARY and env.dialect.rules is Rules.MYSQL:
        case = CaseRule.EXACT
    operand = values.text(bound(node.this), env.translation)
    pattern = values.text(_as_text(bound(node.expression)), env.translation)
    found = Like(operand, pattern, env.dialect.like_escape if escape is None else escape or None, case)
    return Not(found) if node.args.get("negate") else found


def _as_text(expression: Expression) -> Expression:
    return Parameter(expression.name, TEXT) if isinstance(expression, Parameter) else expression


def _escaped(node: exp.Escape, env: Env, bound: Bound) -> Expression:
    like = node.this.this if isinstance(node.this, exp.Not) else node.this
    if type(like) not in _LIKE_CASES or not node.expression.is_string or len(node.expression.this) > 1:
        raise gap("ESCAPE with anything but one character", node)
    found = _like(like, env, bound, node.expression.this)
    return Not(found) if isinstance(node.this, exp.Not) else found


def _glob(node: exp.Glob, env: Env, bound: Bound) -> Expression:
    sides = (values.text(bound(side), env.translation) for side in (node.this, node.expression))
    return Call(Function.GLOB, tuple(sides), BOOLEAN, env.dialect.rules)


COMPARISONS: dict[type[exp.Expr], Callable[..., Expression]] = {
    **dict.fromkeys(_COMPARISONS, comparison),
    exp.Is: _is,
    exp.Between: _between,
    exp.Like: _like,
    exp.ILike: _like,
    exp.Escape: _escaped,
    exp.Glob: _glob,
}
