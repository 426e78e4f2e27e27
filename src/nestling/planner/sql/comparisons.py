"""Comparisons, IS, BETWEEN, LIKE and GLOB, and the collation each of them uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sqlglot import exp

from nestling.ir.quantity_words import cut
from nestling.ir.reading import ONLY_TEXTS
from nestling.ir.statements.expression import (
    FALSE,
    NULL,
    TRUE,
    And,
    Call,
    Expression,
    IsNull,
    Like,
    Literal,
    Not,
    Or,
    Parameter,
)
from nestling.ir.statements.operands import is_mixed
from nestling.ir.statements.operators import CaseRule, Collation, Comparison, Function, Rules
from nestling.ir.types import BOOLEAN, TEXTS, TIMES, TypeName
from nestling.ir.value_forms.array_text import read_array
from nestling.planner.sql import conversions
from nestling.planner.sql.array_changes import beside_column
from nestling.planner.sql.called import sql_as_written
from nestling.planner.sql.collations import collation, is_by_bytes, is_cast_to_citext, is_citext, without_binary
from nestling.planner.sql.compared_subqueries import compared_with_all, compared_with_any
from nestling.planner.sql.gaps import mistake, no_constant, statement_gap, uncast
from nestling.planner.sql.interval_parts import beside_interval
from nestling.planner.sql.mysql.json_values import constant_beside
from nestling.planner.sql.postgresql import char_n as chars
from nestling.planner.sql.postgresql.arrays import any_element
from nestling.planner.sql.postgresql.json_values import equal_json, is_inside, is_present
from nestling.planner.sql.postgresql.unnested_lists import list_of
from nestling.planner.sql.scope import Bind, Env

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


_ALIKE = (exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ)
_STRICT: dict[type[exp.Expr], type[exp.Binary]] = {exp.LTE: exp.LT, exp.GTE: exp.GT}
_LOOSE: dict[type[exp.Expr], type[exp.Binary]] = {exp.LT: exp.LTE, exp.GT: exp.GTE}


def comparison(node: exp.Binary, env: Env, bound: Bind) -> Expression:
    """`left operator right`, for values, rows, and the values of a list or query (`= ANY (…)`)."""
    if isinstance(node.this, exp.Tuple) and isinstance(node.expression, exp.Tuple):
        return row_comparison(node, env, bound)
    if (quantifier := _quantifier(node.expression)) is not None:
        return _quantified(node, quantifier, env, bound)
    if env.dialect.rules is Rules.MYSQL and isinstance(node.expression, exp.Condition) and _is_open(node.expression):
        raise statement_gap("chained comparisons without parentheses, which MySQL reads from the left", node)
    if (seconds := beside_interval(node.this, node.expression, env, bound)) is not None:
        return conversions.compare(_COMPARISONS[type(node)], *seconds, env.translation)
    if env.dialect.rules is Rules.POSTGRESQL and type(node) in (exp.EQ, exp.NEQ):
        same = equal_json(node, env, bound)
        if same is not None:
            return same if type(node) is exp.EQ else Not(same)
    nodes = (constant_beside(node.this, node.expression, env), constant_beside(node.expression, node.this, env))
    left, right = chars.compared(nodes, *map(bound, nodes))
    if type(node) in _ALIKE:
        left, right = (
            beside_column(left, right, node.expression, env, bound),
            beside_column(right, left, node.this, env, bound),
        )
    rule = collation(env, nodes, (left, right))
    return conversions.compare(_COMPARISONS[type(node)], left, right, env.translation, rule)


def _is_open(node: exp.Expr) -> bool:
    return type(node) in _COMPARISONS or isinstance(node, exp.Like | exp.Is | exp.In | exp.Between)


def row_comparison(node: exp.Binary, env: Env, bound: Bind) -> Expression:
    """Two rows, value by value; which comes first is for the first values that differ to say."""
    pairs = list(zip(node.this.expressions, node.expression.expressions, strict=False))
    if {len(node.this.expressions), len(node.expression.expressions)} != {len(pairs)}:
        raise mistake("rows of different lengths are compared", node)

    def of(kind: type[exp.Binary], pair: tuple[exp.Expr, exp.Expr]) -> Expression:
        return comparison(kind(this=pair[0], expression=pair[1]), env, bound)

    kind = type(node)
    if kind in (exp.NEQ, exp.NullSafeNEQ):
        return Not(And(tuple(of(exp.EQ if kind is exp.NEQ else exp.NullSafeEQ, pair) for pair in pairs)))
    if kind in (exp.EQ, exp.NullSafeEQ):
        return And(tuple(of(kind, pair) for pair in pairs))
    found = of(kind, pairs[-1])
    for pair in reversed(pairs[:-1]):  # the first conjunct is what an index can seek by
        found = And((of(_LOOSE.get(kind, kind), pair), Or((of(_STRICT.get(kind, kind), pair), found))))
    return found


def _quantifier(node: exp.Expr) -> exp.Any | exp.All | None:
    """The ANY, SOME or ALL that a value is compared with; sqlglot takes some of them in front of an array for functions."""
    word = node.name.casefold() if isinstance(node, exp.Anonymous) and len(node.expressions) == 1 else ""
    if word in ("all", "some"):
        return exp.All(this=node.expressions[0]) if word == "all" else exp.Any(this=node.expressions[0])
    return node if isinstance(node, exp.Any | exp.All) else None


def _quantified(node: exp.Binary, quantifier: exp.Any | exp.All, env: Env, bound: Bind) -> Expression:
    """`= ANY` (or SOME) is IN, `<> ALL` is NOT IN. Beside `ARRAY[…]` of constants, which are texts, a citext or char is one."""
    alike = isinstance(node, exp.EQ) and isinstance(quantifier, exp.Any)
    among = cast_one_by_one(quantifier.this.unnest())
    listed = written_items(among, env)
    if not alike and not (isinstance(node, exp.NEQ) and isinstance(quantifier, exp.All)):
        return _compared_with_each(node, quantifier, among, env, bound)
    if isinstance(among, exp.Query) and (given := list_of(among, node, negated=not alike)) is not None:
        among = given
    if isinstance(among, exp.Query | exp.Values):
        found = bound(exp.In(this=node.this, query=exp.Subquery(this=among)))
    elif listed is not None:
        left = bound(node.this)
        is_own = env.dialect.rules is Rules.POSTGRESQL and bool(is_citext(left, env.translation) or left.type.is_char)
        is_typed = is_own and not isinstance(among, exp.Literal)
        is_text = is_typed and not any(is_cast_to_citext(item) or bound(item).type.is_char for item in listed)
        operand = exp.cast(node.this, "text") if is_text else node.this
        found = bound(exp.In(this=operand, expressions=listed))
    elif is_given_list(among):
        found = bound(exp.In(this=node.this, field=among))
    else:
        found = any_element(node.this, among, env, bound)
    return found if alike else Not(found)


def _compared_with_each(
    node: exp.Expr, quantifier: exp.Any | exp.All, among: exp.Expr, env: Env, bound: Bind
) -> Expression:
    """`>`, `LIKE` and others before ANY and ALL: of a query's rows, or of the values that an array says."""
    is_all = isinstance(quantifier, exp.All)
    if isinstance(among, exp.Query | exp.Values) and type(node) in _COMPARISONS:
        compared = compared_with_all if is_all else compared_with_any
        assert isinstance(node, exp.Binary)
        return compared(node, _COMPARISONS[type(node)], among, env, bound)
    listed = written_items(among, env)
    if is_given_list(among):
        raise statement_gap(
            f"{sql_as_written(node, env.dialect.grammar)} of a list parameter; write `ARRAY[:a, :b]`", node
        )
    if listed is None:
        raise statement_gap(sql_as_written(node, env.dialect.grammar), node)
    if not listed:
        return TRUE if is_all else FALSE
    each = tuple(bound(type(node)(**{**node.args, "expression": item})) for item in listed)
    return And(each) if is_all else Or(each)


def cast_one_by_one(node: exp.Expr) -> exp.Expr:
    """An array of written values that is cast, maybe again, as one of values that are."""
    inner = cast_one_by_one(node.this.unnest()) if isinstance(node, exp.Cast) else None
    if not isinstance(inner, exp.Array) or not isinstance(node, exp.Cast) or not node.to.expressions:
        return node
    return exp.Array(expressions=[exp.Cast(this=item, to=node.to.expressions[0]) for item in inner.expressions])


def written_items(array: exp.Expr, env: Env) -> list[exp.Expr] | None:
    """The values of an array that is written down: one by one, or in PostgreSQL as a text, maybe cast; None of another."""
    if isinstance(array, exp.Array):
        return array.expressions
    is_cast = isinstance(array, exp.Cast) and array.to.this is exp.DataType.Type.ARRAY and array.to.expressions
    text = array.this.unnest() if is_cast else array
    if not isinstance(text, exp.Literal) or not text.is_string or env.dialect.rules is not Rules.POSTGRESQL:
        return None
    try:
        items: list[exp.Expr] = [
            exp.null() if item is None else exp.Literal.string(item) for item in read_array(text.this)
        ]
    except ValueError as problem:
        raise statement_gap(f"the array `{text.this}`: {problem}", array) from None
    return [exp.Cast(this=item, to=array.args["to"].expressions[0]) for item in items] if is_cast else items


def is_given_list(node: exp.Expr) -> bool:
    """Whether it is a parameter, maybe cast to an array, where a list of values belongs."""
    inner = node.unnest()
    if isinstance(inner, exp.Cast):
        is_array = inner.to.this is exp.DataType.Type.ARRAY and len(inner.to.expressions) == 1
        return is_array and is_given_list(inner.this)
    return isinstance(inner, exp.Placeholder | exp.Parameter)


def _is(node: exp.Is, env: Env, bound: Bind) -> Expression:
    found = _is_plainly(node, env, bound)
    return Not(found) if node.args.get("negate") else found


def _is_plainly(node: exp.Is, env: Env, bound: Bind) -> Expression:
    part, other = node.this.unnest(), node.expression
    if isinstance(other, exp.Null) and is_inside(part) and env.dialect.rules is Rules.POSTGRESQL:
        return Not(is_present(part, env, bound))
    operand = bound(node.this)
    if isinstance(other, exp.Null):
        return IsNull(operand)
    if isinstance(other, exp.Boolean):
        condition = conversions.truth(operand, env.translation)
        return conversions.compare(Comparison.SAME, condition, TRUE if other.this else FALSE, env.translation)
    if not env.dialect.is_sqlite:
        raise statement_gap(f"IS {cut(other.sql(dialect=env.dialect.grammar))}", node)
    operand, value = chars.compared((node.this, other), operand, bound(other))
    rule = collation(env, (node.this, other), (operand, value))
    return conversions.compare(Comparison.SAME, operand, value, env.translation, rule)


def _between(node: exp.Between, env: Env, bound: Bind) -> Expression:
    if not node.args.get("symmetric"):
        return _within(node, env, bound)
    if env.dialect.rules is not Rules.POSTGRESQL:
        raise statement_gap("BETWEEN SYMMETRIC", node)
    turned = exp.Between(this=node.this.copy(), low=node.args["high"].copy(), high=node.args["low"].copy())
    return Or((_within(node, env, bound), _within(turned, env, bound)))


def _within(node: exp.Between, env: Env, bound: Bind) -> Expression:
    operand, found = bound(node.this), []
    if env.dialect.rules is Rules.MYSQL:
        _refuse_ends([operand, *(bound(node.args[name]) for name in ("low", "high"))], node)
    for operator, name in ((Comparison.GREATER_OR_EQUAL, "low"), (Comparison.LESS_OR_EQUAL, "high")):
        nodes = (node.this, node.args[name])
        if (seconds := beside_interval(*nodes, env, bound)) is not None:
            found.append(conversions.compare(operator, *seconds, env.translation))
            continue
        value, end = chars.compared(nodes, operand, bound(node.args[name]))
        rule = collation(env, nodes, (value, end))
        found.append(conversions.compare(operator, value, end, env.translation, rule, as_computed=True))
    return And(tuple(found))


def _refuse_ends(values: Sequence[Expression], node: exp.Expr) -> None:
    """MySQL compares the three of BETWEEN by one rule, which times and texts that are no constants share with nothing here."""
    names = {value.type.name for value in values if not isinstance(value, Literal | Parameter)}
    if names & TIMES and names & TEXTS:
        raise statement_gap("BETWEEN of times and texts", node)


_LIKE_CASES: dict[type[exp.Expr], CaseRule | None] = {exp.Like: None, exp.ILike: CaseRule.LOWER}


def _like(node: exp.Expr, env: Env, bound: Bind, escape: str | None = None) -> Expression:
    if env.dialect.rules is Rules.POSTGRESQL and (quantifier := _quantifier(node.expression)) is not None:
        among = cast_one_by_one(quantifier.this.unnest())
        return _compared_with_each(node, quantifier, among, env, bound)
    case = _LIKE_CASES[type(node)] or env.dialect.like
    sides = (bound(without_binary(node.this, env)), bound(without_binary(node.expression, env)))
    rule = collation(env, (node.this, node.expression), sides) if env.dialect.rules is Rules.MYSQL else None
    if rule is Collation.BINARY:
        case = CaseRule.BYTES if env.dialect.rules is Rules.MYSQL and is_by_bytes(node) else CaseRule.EXACT
    if is_either_citext(node, sides, env):
        case = CaseRule.LOWER
    if env.dialect.is_sqlite:
        _refuse_null_of_bytes("LIKE", node, *sides)
    operand, pattern = (conversions.text(side, env.translation) for side in sides)
    operand = chars.filled_operand(operand, pattern)
    escape = env.dialect.like_escape if escape is None else escape or None
    if env.dialect.rules is Rules.MYSQL and isinstance(pattern, Literal) and escape is not None:
        pattern = _finished(pattern, escape)
    found = Like(operand, pattern, escape, case)
    return Not(found) if node.args.get("negate") else found


def _finished(pattern: Literal, escape: str) -> Literal:
    """MySQL takes an escape with nothing after it for itself."""
    text, one = str(pattern.value), re.escape(escape)
    is_open = pattern.value is not None and re.fullmatch(f"(?:(?!{one}).|{one}.)*{one}", text, re.DOTALL)
    return Literal(text + escape, pattern.type) if is_open else pattern


def is_either_citext(node: exp.Expr, sides: tuple[Expression, ...], env: Env) -> bool:
    """Whether PostgreSQL matches a pattern as citext: where the text is one, or is a constant and the pattern one."""
    if env.dialect.rules is not Rules.POSTGRESQL:
        return False
    text, pattern = (is_citext(side, env.translation) for side in sides)
    return bool(text) or (text is None and bool(pattern) and not isinstance(node.this.unnest(), exp.Cast))


def _refuse_null_of_bytes(word: str, node: exp.Expr, *sides: Expression) -> None:
    if NULL in sides and any(map(_may_be_bytes, sides)):
        raise statement_gap(f"{word} NULL with a value that may be bytes, for which SQLite returns false", node)


def _may_be_bytes(expression: Expression) -> bool:
    if isinstance(expression, Parameter):
        return False  # it is given as a text
    return is_mixed(expression) or (expression.type.name in (TypeName.BYTES, TypeName.ANY) and expression != NULL)


def _escaped(node: exp.Escape, env: Env, bound: Bind) -> Expression:
    like = node.this.this if isinstance(node.this, exp.Not) else node.this
    if isinstance(uncast(node.expression), exp.Placeholder | exp.Parameter):
        raise no_constant("ESCAPE with a character that is not a constant", node, node.expression, kinds=ONLY_TEXTS)
    if type(like) not in _LIKE_CASES or not node.expression.is_string or len(node.expression.this) > 1:
        raise statement_gap("ESCAPE with other than one character", node)
    found = _like(like, env, bound, node.expression.this)
    return Not(found) if isinstance(node.this, exp.Not) else found


def _glob(node: exp.Glob, env: Env, bound: Bind) -> Expression:
    given = (bound(node.this), bound(node.expression))
    _refuse_null_of_bytes("GLOB", node, *given)
    sides = tuple(conversions.text(side, env.translation) for side in given)
    return Call(Function.GLOB, sides, BOOLEAN, env.dialect.rules)


COMPARISONS: dict[type[exp.Expr], Callable[..., Expression]] = {
    **dict.fromkeys(_COMPARISONS, comparison),
    exp.Is: _is,
    exp.Between: _between,
    exp.Like: _like,
    exp.ILike: _like,
    exp.Escape: _escaped,
    exp.Glob: _glob,
}
