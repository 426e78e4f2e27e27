"""Comparisons, IS, BETWEEN, LIKE and GLOB, and the collation each of them uses."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from nestling.ir.expression import (
    FALSE,
    NULL,
    TRUE,
    And,
    Call,
    CaseRule,
    Collation,
    Column,
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
from nestling.ir.types import BOOLEAN, TEXT, TypeName
from nestling.planner.sql import values
from nestling.planner.sql.collations import both_padded, collation
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


def comparison(node: exp.Binary, env: Env, bound: Bound) -> Expression:
    """`left operator right`, for values and for rows."""
    if isinstance(node.this, exp.Tuple) and isinstance(node.expression, exp.Tuple):
        return row_comparison(node, env, bound)
    left, right = bound(node.this), bound(node.expression)
    rule = collation(env, (node.this, node.expression), (left, right))
    if isinstance(node, exp.EQ) and rule is Collation.RTRIM and both_padded(env, left, right):
        rule = Collation.BINARY
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
    value = bound(other)
    rule = collation(env, (node.this, other), (operand, value))
    return values.compare(Comparison.SAME, operand, value, env.translation, rule)


def _between(node: exp.Between, env: Env, bound: Bound) -> Expression:
    operand = bound(node.this)
    found = []
    for operator, name in ((Comparison.GREATER_OR_EQUAL, "low"), (Comparison.LESS_OR_EQUAL, "high")):
        end = bound(node.args[name])
        rule = collation(env, (node.this, node.args[name]), (operand, end))
        found.append(values.compare(operator, operand, end, env.translation, rule))
    return And(tuple(found))


_LIKE_CASES: dict[type[exp.Expr], CaseRule | None] = {exp.Like: None, exp.ILike: CaseRule.UNICODE}


def _like(node: exp.Expr, env: Env, bound: Bound, escape: str | None = None) -> Expression:
    case = _LIKE_CASES[type(node)] or env.dialect.like
    sides = (bound(node.this), _as_text(bound(node.expression)))
    rule = collation(env, (node.this, node.expression), sides) if env.dialect.rules is Rules.MYSQL else None
    if rule is Collation.BINARY:
        case = CaseRule.EXACT
    if env.dialect.is_sqlite and NULL in sides and any(map(_may_be_bytes, sides)):
        raise gap("LIKE NULL of what may be bytes, which SQLite finds false", node)
    operand, pattern = (values.text(side, env.translation) for side in sides)
    found = Like(operand, pattern, env.dialect.like_escape if escape is None else escape or None, case)
    return Not(found) if node.args.get("negate") else found


def _may_be_bytes(expression: Expression) -> bool:
    mixed = isinstance(expression, Column) and expression.mixed
    return mixed or (expression.type.name in (TypeName.BYTES, TypeName.ANY) and expression != NULL)


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
