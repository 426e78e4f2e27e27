"""Scalar SQL to expressions: one short function for each construct, found by its sqlglot class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlglot import exp

from nestling.ir.quantity_words import counted
from nestling.ir.statements.algebra import LimitOffset, Project, Relation, SortKey
from nestling.ir.statements.expression import (
    FALSE,
    NULL,
    TRUE,
    Call,
    Cast,
    Compare,
    Exists,
    Expression,
    InList,
    Literal,
    Not,
    Or,
    Parameter,
)
from nestling.ir.statements.operands import conjunction, is_float
from nestling.ir.statements.operators import Collation, Comparison, Function, Rules
from nestling.ir.types import FLOAT, INTEGER, TEXT, TIMES, Type, TypeName
from nestling.ir.value_forms.numeral import INT64
from nestling.planner.sql import common_type as one_value
from nestling.planner.sql import conversions
from nestling.planner.sql.arithmetic import ARITHMETIC
from nestling.planner.sql.array_changes import ARRAY_CHANGES, concatenated
from nestling.planner.sql.binary_subtypes import beside_subtype
from nestling.planner.sql.called import function_name
from nestling.planner.sql.casts import CASTS, SENT, cast_type
from nestling.planner.sql.collations import collation
from nestling.planner.sql.compared_subqueries import in_subquery
from nestling.planner.sql.comparisons import COMPARISONS, comparison, is_given_list, row_comparison
from nestling.planner.sql.exact_decimals import exact_beside
from nestling.planner.sql.functions import FUNCTIONS
from nestling.planner.sql.gaps import StatementGap, mistake, no_such, statement_gap
from nestling.planner.sql.interval_parts import as_seconds
from nestling.planner.sql.json_changes import is_jsonb, merged
from nestling.planner.sql.literals import decimal_literal
from nestling.planner.sql.mysql.bits import bit_literal
from nestling.planner.sql.postgresql import char_n as chars
from nestling.planner.sql.postgresql.arrays import ARRAYS
from nestling.planner.sql.postgresql.enums import ranked
from nestling.planner.sql.postgresql.given_times import given_beside
from nestling.planner.sql.postgresql.infinite_moments import placed
from nestling.planner.sql.postgresql.json_values import JSON_VALUES
from nestling.planner.sql.postgresql.type_errors import refuse_composite
from nestling.planner.sql.postgresql.unnested_lists import list_of
from nestling.planner.sql.scope import Bind, Env, NamedOutput
from nestling.planner.sql.subquery_values import value_of
from nestling.planner.sql.supported_types import refuse_bits, refuse_comparison, refuse_order, refuse_rank

AGGREGATES = (
    exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.GroupConcat, exp.LogicalAnd, exp.LogicalOr, exp.AnyValue,
    exp.ArrayAgg, exp.JSONArrayAgg, exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Variance, exp.VariancePop, exp.WithinGroup,
)  # fmt: skip
NAMED_AGGREGATES = frozenset({"total", "every", "jsonb_agg"})
"""Aggregates sqlglot has no class for."""


def bind(node: exp.Expr, env: Env) -> Expression:
    """The meaning of the SQL under `node` in `env`; raises WorkloadError or a gap, unknown names first."""
    try:
        found = _bind(node, env)
    except StatementGap as gap:
        if not isinstance(node, exp.Column):
            _names_are_known(node, env)
        if gap.node is None:
            gap.node = node
        raise
    if env.translation.watch is not None:
        env.translation.watch(found, node)
    return found


def _bind(node: exp.Expr, env: Env) -> Expression:
    if env.grouped is not None and (key := env.grouped.key(node)) is not None:
        return key
    if is_aggregate(node):
        if env.grouped is None:
            raise mistake(f"{node.sql()} is an aggregate where rows are not grouped", node)
        return env.grouped.aggregate(node, env)
    if (handler := _HANDLERS.get(type(node))) is not None:
        return handler(node, env)
    if (call := _CALLS.get(type(node))) is not None:
        return call(node, env, _bound_in(node, env))
    raise statement_gap(_name(node, env.dialect.grammar), node)


def _bound_in(node: exp.Expr, env: Env) -> Bind:
    """Binds the arguments of a function, of which sqlglot lets some be left out."""

    def bound(part: exp.Expr | None) -> Expression:
        if part is None:
            raise mistake(f"{function_name(node, env.dialect.grammar)}() has too few arguments", node)
        found = bind(part, env)
        if isinstance(node, exp.Func) and not _takes_bits(node, env):
            refuse_bits(f"{function_name(node, env.dialect.grammar)}()", node, found)
        return found

    if isinstance(node, exp.Func) and node.arg_types.get("this") and node.args.get("this") is None:
        bound(None)
    return bound


def _takes_bits(node: exp.Func, env: Env) -> bool:
    """Whether a function of bits is that of the text of their digits."""
    is_text = isinstance(node, exp.Cast) and node.to.is_type(*exp.DataType.TEXT_TYPES)
    is_of_digits = is_text or isinstance(node, exp.Length)
    return env.dialect.rules is Rules.POSTGRESQL and is_of_digits


def _names_are_known(node: exp.Expr, env: Env) -> None:
    """A name that does not exist is a mistake wherever it stands, also in what nothing is made of."""
    plain = replace(env, grouped=None)
    for column in node.find_all(exp.Column):
        is_row = isinstance(column.this, exp.Star)
        here = column.find_ancestor(exp.Query) is node.find_ancestor(exp.Query)
        if here and not is_row and plain.find(column) is None:
            _column(column, plain)


def _bound(env: Env) -> Bind:
    return lambda node: bind(node, env)


def is_aggregate(node: exp.Expr) -> bool:
    """Whether it is an aggregate call (one over a window lies under an `exp.Window`)."""
    if isinstance(node, exp.Filter):
        return True
    return isinstance(node, AGGREGATES) or (
        isinstance(node, exp.Anonymous) and node.name.casefold() in NAMED_AGGREGATES
    )


def sort_key(node: exp.Ordered, expression: Expression, env: Env, tree: exp.Expr | None = None) -> SortKey:
    """The key of an ORDER BY item whose expression is bound; NULLs go where it says, or where the dialect puts them.

    `tree` is the output the item names, if it names one.
    """
    nulls_first, expression = bool(node.args.get("nulls_first")), as_seconds(expression)
    value = conversions.ordered(expression, env.translation)
    refuse_order("an order", node, expression)
    refuse_rank(node, expression)
    if env.dialect.rules is not Rules.SQLITE:  # which has no enums: their order would be that of texts
        value = placed(ranked(value, expression.type.values), env.translation)
    says = (node.this,) if tree is None else (node.this.find(exp.Collate), tree)
    return SortKey(value, bool(node.args.get("desc")), nulls_first, collation(env, says, (expression,)))


def bind_sort(nodes: Sequence[exp.Expr], env: Env) -> tuple[SortKey, ...]:
    """The keys of an ORDER BY inside a function or window."""
    return tuple(sort_key(node, bind(node.this, env), env) for node in nodes if isinstance(node, exp.Ordered))


def predicate(node: exp.Expr, env: Env) -> Expression:
    """The SQL as a condition."""
    return conversions.truth(bind(node, env), env.translation)


def _name(node: exp.Expr, grammar: str) -> str:
    name = function_name(node, grammar)
    return name if name.startswith("`") else f"{name}() function"


def _literal(node: exp.Literal, env: Env) -> Expression:
    if node.is_string:
        return Literal(node.this, TEXT)
    digits = str(node.this)
    if digits.isdecimal() and int(digits) < INT64:
        return Literal(int(digits), INTEGER)
    with_exponent = "e" in digits.casefold() and env.dialect.rules is not Rules.POSTGRESQL
    if env.dialect.is_sqlite or with_exponent:
        return Literal(float(digits), FLOAT)
    return decimal_literal(digits)


def _bytes(node: exp.HexString, env: Env) -> Expression:
    if not env.dialect.is_sqlite:
        raise statement_gap("a hexadecimal literal", node)
    return Literal(bytes.fromhex(str(node.this)), Type(TypeName.BYTES))


def _column(node: exp.Column, env: Env) -> Expression:
    found = env.find(node)
    if isinstance(found, NamedOutput):
        return bind(found.tree, found.env)
    if found is not None:
        return found
    quoted = isinstance(node.this, exp.Identifier) and node.this.args.get("quoted")
    if env.dialect.quoted_is_text and quoted and not node.table:
        return Literal(node.name, TEXT)
    if env.dialect.is_sqlite and not node.table and node.name.casefold() in ("true", "false"):
        return TRUE if node.name.casefold() == "true" else FALSE
    if node.table:
        tables = [source.name for source in env.scope.sources]
        raise no_such("table or alias", node.table, tables, node.args["table"])
    if env.dialect.rules is Rules.POSTGRESQL and any(each.name == node.name for each in env.scope.sources):
        raise statement_gap("a whole row as one value; name its columns", node)
    raise no_such("column", node.name, env.known(), node)


def _parameter(node: exp.Expr, env: Env, *, listed: bool = False) -> Parameter:
    if isinstance(node, exp.Placeholder) and not node.this:
        raise statement_gap("a parameter without a name", node)
    if env.translation.listed.setdefault(node.name, listed) is not listed:
        where = node.find_ancestor(exp.Predicate) or node
        raise mistake(f"`{node.name}` is used as one value and as a list", where, "give the list its own name")
    return Parameter(node.name, listed=listed, by_sqlite=env.dialect.is_sqlite, rules=env.dialect.rules)


def _operand(node: exp.Expr, env: Env) -> Expression:
    """What stands in parentheses, or before a COLLATE, which `collations` reads."""
    return bind(node.this, env)


def _and(node: exp.And, env: Env) -> Expression:
    parts = [predicate(part, env) for part in node.flatten()]
    found = conjunction(*parts)
    assert found is not None
    return found


def _or(node: exp.Or, env: Env) -> Expression:
    return Or(tuple(predicate(part, env) for part in node.flatten()))


def _xor(node: exp.Xor, env: Env) -> Expression:
    sides = (predicate(node.this, env), predicate(node.expression, env))
    return conversions.compare(Comparison.NOT_EQUAL, *sides, env.translation)


def _not(node: exp.Not, env: Env) -> Expression:
    return Not(predicate(node.this, env))


def _in(node: exp.In, env: Env) -> Expression:
    rows = next((each for each in node.expressions if isinstance(each, exp.Values)), None)
    if rows is not None and env.dialect.rules is Rules.POSTGRESQL:
        return _in(_among_values(node, rows), env)
    query = node.args.get("query") or rows
    if query is not None and env.dialect.rules is Rules.POSTGRESQL and (given := list_of(query, node)) is not None:
        return _in(exp.In(this=node.this, field=given), env)
    if query is not None:
        return in_subquery(node, query, env, _bound(env))
    given = node.args.get("field")
    is_list = given is None or (is_given_list(given) and not isinstance(node.this, exp.Tuple))
    if node.args.get("unnest") is not None or not is_list:
        raise statement_gap("IN without a list", node)
    if isinstance(node.this, exp.Tuple):
        pairs = (exp.EQ(this=node.this, expression=item) for item in node.expressions)
        return Or(tuple(row_comparison(each, env, _bound(env)) for each in pairs))
    return _in_list(node, given, env)


def _in_list(node: exp.In, given: exp.Expr | None, env: Env) -> Expression:
    """One value among those that are written, or in the list that is given."""
    operand = bind(node.this, env)
    items = [bind(item, env) for item in node.expressions] if given is None else [given_list(given, env, node)]
    if env.dialect.rules is Rules.POSTGRESQL and any(each.type.is_char for each in (operand, *items)):
        return _in_chars(node, operand, items, env)
    rule = collation(env, (node.this,), (operand,))
    if any(item.type.subtype for item in items):  # beside each of which it is another value
        return Or(tuple(conversions.compare(Comparison.EQUAL, operand, item, env.translation, rule) for item in items))
    if env.dialect.rules is Rules.POSTGRESQL and rule is Collation.NOCASE:
        each = [*zip(node.expressions or (None,), items, strict=True)]
        rules = [collation(env, (node.this, tree), (operand, item)) for tree, item in each]
        if len({*rules}) > 1:
            found = zip(items, rules, strict=True)
            return Or(
                tuple(conversions.compare(Comparison.EQUAL, operand, i, env.translation, own) for i, own in found)
            )
        rule = rules[0]
    if env.dialect.is_sqlite:
        return _in_sqlite(operand, [exact_beside(item, operand, env.translation) for item in items], rule, env)
    for item in items:
        refuse_comparison(operand, item, ordered=False, node=node)
    pairs = [conversions.comparable(operand, item, env.translation) for item in items]
    among_floats = isinstance(operand, Literal) and any(map(is_float, items))  # beside each of which it is one
    if among_floats or len({left for left, _ in pairs}) > 1:
        return Or(tuple(conversions.compare(Comparison.EQUAL, operand, item, env.translation, rule) for item in items))
    return InList(pairs[0][0] if pairs else operand, tuple(right for _, right in pairs), rule)


def _in_sqlite(operand: Expression, items: Sequence[Expression], rule: Collation, env: Env) -> Expression:
    """Only the left side's affinity counts; the items have none."""
    if conversions.is_strict(env.translation, operand):
        return InList(operand, tuple(map(conversions.as_given, items)), rule)
    kind = conversions.affinity(conversions.plain(operand, env.translation), env.translation)
    items = [conversions.plain(beside_subtype(item, operand), env.translation) for item in items]
    items = [conversions.coerce(item, kind) for item in items] if kind else items
    return InList(conversions.plain(operand, env.translation), tuple(items), rule)


def _among_values(node: exp.In, rows: exp.Values) -> exp.In:
    """`x IN (VALUES (1), (2))` is IN with a list."""
    if isinstance(node.this, exp.Tuple):
        return exp.In(this=node.this, expressions=rows.expressions)
    if any(len(row.expressions) != 1 for row in rows.expressions):
        raise mistake("a row is compared with one value", node)
    return exp.In(this=node.this, expressions=[row.expressions[0] for row in rows.expressions])


def _in_chars(node: exp.In, operand: Expression, items: Sequence[Expression], env: Env) -> Expression:
    """Among a `char` and its like: each item decides whether the comparison is one of texts, in which blanks count."""
    nodes = node.expressions or [node.args.get("field")]
    if len(nodes) > 1:
        chars.refuse_casts((node.this, *nodes), operand, *items)
    pairs = [chars.compared((node.this, each), operand, item) for each, item in zip(nodes, items, strict=True)]
    if len({left for left, _ in pairs}) > 1:
        return Or(tuple(conversions.compare(Comparison.EQUAL, *pair, env.translation) for pair in pairs))
    alike = [conversions.comparable(*pair, env.translation)[1] for pair in pairs]
    return InList(pairs[0][0], tuple(alike), Collation.BINARY)


def given_list(given: exp.Expr, env: Env, node: exp.Expr) -> Parameter:
    """The parameter that is a list; where it is cast to an array, its values are of that type."""
    inner = given.unnest()
    if not isinstance(inner, exp.Cast):
        return _parameter(inner, env, listed=True)
    element = inner.to.expressions[0]
    if element.this is exp.DataType.Type.USERDEFINED:  # an enum, of which a text is one as it is
        return given_list(inner.this, env, node)
    kind = cast_type(element, env, node, SENT)
    if kind.numbers:
        raise statement_gap(f"a list cast to {kind}; cast it to a type without numbers in parentheses", node)
    return replace(_parameter(inner.this.unnest(), env, listed=True), type=kind, exact=True)


def _exists(node: exp.Exists, env: Env) -> Expression:
    from nestling.planner.sql.queries import bind_subquery

    return Exists(bind_subquery(node.this, env))


def _window(node: exp.Window, env: Env) -> Expression:
    from nestling.planner.sql.windows import bind_window

    return bind_window(node, env)


def _subquery(node: exp.Expr, env: Env) -> Expression:
    from nestling.planner.sql.queries import bind_subquery

    relation = bind_subquery(node, env)
    if len(relation.columns) != 1:
        raise mistake(f"a subquery of {counted(len(relation.columns), 'column')} stands for one value", node)
    many_fail = not env.dialect.is_sqlite and not _is_limited(relation)
    return value_of(relation, node, env.translation, what="a subquery's value", many_fail=many_fail)


def _is_limited(relation: Relation) -> bool:
    """Whether it says itself that it yields one row at most."""
    while isinstance(relation, Project):
        relation = relation.input
    return isinstance(relation, LimitOffset) and relation.count == Literal(1, INTEGER)


def _case(node: exp.Case, env: Env) -> Expression:
    predicates = []
    for branch in node.args["ifs"]:
        if node.this is not None:
            condition: Expression = comparison(exp.EQ(this=node.this, expression=branch.this), env, _bound(env))
        else:
            condition = predicate(branch.this, env)
        predicates.append(condition)
    nodes = [*(branch.args["true"] for branch in node.args["ifs"]), node.args.get("default") or exp.Null()]
    *found, default = (bind(each, env) for each in nodes)
    chars.refuse_casts(nodes, *found, default)
    return one_value.case([*zip(predicates, found, strict=True)], default, env.translation)


def _if(node: exp.If, env: Env) -> Expression:
    default = node.args.get("false")
    branch = (predicate(node.this, env), bind(node.args["true"], env))
    return one_value.case([branch], bind(default, env) if default is not None else NULL, env.translation)


def _coalesce(node: exp.Coalesce, env: Env) -> Expression:
    nodes = (node.this, *node.expressions)
    found = [bind(each, env) for each in nodes]
    chars.refuse_casts(nodes, *found)
    return one_value.coalesce(found, env.translation)


def _nullif(node: exp.Nullif, env: Env) -> Expression:
    nodes = (node.this, node.expression)
    left, right = (bind(each, env) for each in nodes)
    rule = collation(env, nodes, (left, right))
    if env.dialect.is_sqlite:  # a function there: no affinity is applied
        left, right = beside_subtype(left, right), beside_subtype(right, left)
        left, right = conversions.plain(left, env.translation), conversions.plain(right, env.translation)
        same = Compare(Comparison.EQUAL, left, right, rule)
    else:
        left, other = chars.compared(nodes, left, right)
        if env.dialect.rules is Rules.POSTGRESQL:
            left = _promoted(left, other)
        same = conversions.compare(Comparison.EQUAL, left, other, env.translation, rule)
    return one_value.case([(same, NULL)], left, env.translation)


def _promoted(left: Expression, right: Expression) -> Expression:
    """PostgreSQL's NULLIF gives its first value as it is compared with the second, which days and moments are as they are."""
    if left.type.name in TIMES and right.type.name in TIMES:
        return given_beside(left, right.type)
    found = conversions.adapt(left, right.type)
    ranks = (TypeName.INTEGER, TypeName.DECIMAL, TypeName.FLOAT)
    mine, other = found.type.name, right.type.name
    is_promoted = mine in ranks and other in ranks and ranks.index(mine) < ranks.index(other)
    return Cast(found, Type(other), Rules.POSTGRESQL) if is_promoted else found


def _concatenation(node: exp.DPipe, env: Env) -> Expression:
    bound = [bind(part, env) for part in node.flatten()]
    if any(each.type.name is TypeName.BITS for each in bound) and env.dialect.rules is Rules.POSTGRESQL:
        raise statement_gap("|| of bit strings with text, which becomes a bit string", node)
    if env.dialect.rules is Rules.POSTGRESQL:
        if any(each.type.element is not None for each in bound):
            return concatenated(node, env, _bound(env))
        if any(map(is_jsonb, bound)):
            return merged(node, env, _bound(env))
        refuse_composite(node, env.dialect.grammar, *bound)
    parts = tuple(conversions.text(each, env.translation) for each in bound)
    return Call(Function.CONCAT, parts, TEXT, env.dialect.rules)


_CALLS: dict[type[exp.Expr], Callable[..., Expression]] = {
    **ARITHMETIC,
    **ARRAYS,
    **ARRAY_CHANGES,
    **CASTS,
    **COMPARISONS,
    **FUNCTIONS,
    **JSON_VALUES,
}
_HANDLERS: dict[type[exp.Expr], Callable[..., Expression]] = {
    exp.Literal: _literal,
    exp.HexString: _bytes,
    exp.BitString: bit_literal,
    exp.Column: _column,
    exp.Placeholder: _parameter,
    exp.Parameter: _parameter,
    exp.Null: lambda _, __: NULL,
    exp.Boolean: lambda node, _: TRUE if node.this else FALSE,
    exp.Paren: _operand,
    exp.And: _and,
    exp.Or: _or,
    exp.Xor: _xor,
    exp.Not: _not,
    exp.In: _in,
    exp.Exists: _exists,
    exp.Subquery: _subquery,
    exp.Select: _subquery,
    exp.Case: _case,
    exp.If: _if,
    exp.Coalesce: _coalesce,
    exp.Nullif: _nullif,
    exp.Collate: _operand,
    exp.DPipe: _concatenation,
    exp.Window: _window,
}
