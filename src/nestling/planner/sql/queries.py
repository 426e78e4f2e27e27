"""Queries of every kind: WITH, set operations, VALUES, recursion, and the ORDER BY and LIMIT behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from nestling.ir.free_names import free_name
from nestling.ir.quantity_words import counted
from nestling.ir.statements.algebra import (
    Filter,
    LimitOffset,
    Project,
    Recursive,
    Relation,
    SetOperation,
    SetOperator,
    Sort,
    Values,
    Working,
)
from nestling.ir.statements.expression import ANY, NULL, Column, Expression
from nestling.ir.statements.operands import is_mixed, nullable
from nestling.ir.statements.operators import Collation, Rules
from nestling.ir.types import Type, TypeName
from nestling.planner.sql import common_type as one_value
from nestling.planner.sql import conversions
from nestling.planner.sql.collations import keep, rules_of
from nestling.planner.sql.expressions import bind, sort_key
from nestling.planner.sql.gaps import mistake, no_such, statement_gap
from nestling.planner.sql.mysql.digits import rounded_alike
from nestling.planner.sql.mysql.times_as_text import note_digits, note_most_digits
from nestling.planner.sql.outputs import BoundQuery, limits
from nestling.planner.sql.scope import Cte, Env, Translation
from nestling.planner.sql.select import Select
from nestling.planner.sql.subquery_values import recast
from nestling.planner.sql.supported_types import refuse_groups


def bind_subquery(node: exp.Expr, env: Env) -> Relation:
    """A subquery inside an expression, which may mention the columns of `env`."""
    return bind_query(node, env).relation


def bind_query(node: exp.Expr, env: Env, wish: str = "") -> BoundQuery:
    """A query; `env` is what lies around it. Its columns get an alias like `wish`."""
    env = replace(env, ctes=with_ctes(node, env), windows=None)
    if isinstance(node, exp.Select):
        return Select(node, env, wish or "selected").bound()
    if isinstance(node, exp.SetOperation):
        return _set_operation(node, env, wish)
    if isinstance(node, exp.Subquery):
        return _parenthesised(node, env, wish)
    if isinstance(node, exp.Values):
        return _values(node, env, wish)
    what = f"a WITH that writes ({node.key.upper()}); make it a statement of its own, in one transaction with the other"
    raise statement_gap(what if isinstance(node, exp.DML) else f"{node.key.upper()} where a query is expected", node)


def with_ctes(node: exp.Expr, env: Env) -> Mapping[str, Cte]:
    """The CTEs a statement sees: its own, and those around it."""
    clause = node.args.get("with_")
    if clause is None:
        return env.ctes
    ctes = dict(env.ctes)
    for item in clause.expressions:
        alias = item.args["alias"]
        names = tuple(column.name for column in alias.args.get("columns") or ())
        recursive = _mentions(item.this, alias.name)
        ctes[alias.name.casefold()] = Cte(item.this, names, dict(ctes), recursive)
    return ctes


def _mentions(query: exp.Expr, name: str) -> bool:
    return isinstance(query, exp.SetOperation) and any(
        table.name.casefold() == name.casefold() for table in query.expression.find_all(exp.Table)
    )


_SETS: dict[type[exp.Expr], SetOperator] = {
    exp.Union: SetOperator.UNION,
    exp.Intersect: SetOperator.INTERSECT,
    exp.Except: SetOperator.EXCEPT,
}


def _set_operation(node: exp.SetOperation, env: Env, wish: str) -> BoundQuery:
    if node.args.get("by_name") or node.args.get("on") or node.args.get("side"):
        raise statement_gap("a set operation by name", node)
    left, right = bind_query(node.this, env), bind_query(node.expression, env)
    _same_width(left.relation, right.relation, node)
    (one, other), columns = _alike(left.relation, right.relation, left.names, env.translation, wish or "united")
    rules = rules_of(
        [_rule(pair, env.translation) for pair in zip(left.relation.columns, right.relation.columns, strict=True)]
    )
    for column, rule in zip(columns, rules, strict=False):
        keep(column, rule, env.translation)
    operator = _SETS[type(node)]
    if node.args.get("distinct") or operator is not SetOperator.UNION:
        refuse_groups(node.key.upper(), node, *columns)
    keeps_all = not node.args.get("distinct")
    compared = () if keeps_all and operator is SetOperator.UNION else rules  # UNION ALL compares no rows
    relation: Relation = SetOperation(operator, keeps_all, one, other, columns[0].alias, columns, compared)
    return _ordered(BoundQuery(relation, left.names, left.trees), node, env, right)


def _rule(pair: tuple[Column, Column], translation: Translation) -> Collation:
    """The collation two columns are compared by: the first's that has one of its own."""
    found = (translation.collations.get((column.alias, column.name)) for column in pair)
    return next((rule for rule in found if rule is not None), translation.dialect.collation)


def _same_width(left: Relation, right: Relation, node: exp.Expr) -> None:
    if len(left.columns) != len(right.columns):
        what = f"one side has {counted(len(left.columns), 'column')} and the other {len(right.columns)}"
        raise mistake(what, node)


def _alike(
    left: Relation, right: Relation, names: Sequence[str], translation: Translation, wish: str
) -> tuple[tuple[Relation, Relation], tuple[Column, ...]]:
    """Both sides with columns of one type each, and the columns of their union."""
    alias = translation.alias(wish)
    sides: list[tuple[Expression, ...]] = []
    columns: list[Column] = []
    taken: set[str] = set()
    for name, one, other in zip(names, left.columns, right.columns, strict=True):
        alike, kind = one_value.common(
            [_or_untyped(one, left, translation), _or_untyped(other, right, translation)], translation
        )
        if translation.dialect.rules is Rules.MYSQL and kind.name is TypeName.DECIMAL:
            alike, kind = rounded_alike(alike, kind)
        sides.append(alike)
        unique = free_name(name, taken)
        taken.add(unique)
        mixed = kind == ANY or any(is_mixed(side) for side in alike)
        columns.append(Column(alias, unique, kind, nullable(one) or nullable(other), mixed))
        note_most_digits(columns[-1], alike, translation)
        translation.affinities[alias, unique] = conversions.affinity(one, translation)
    lefts, rights = ([side[place] for side in sides] for place in (0, 1))
    return (recast(left, lefts, translation), recast(right, rights, translation)), tuple(columns)


def _or_untyped(column: Column, relation: Relation, translation: Translation) -> Expression:
    """The column; in PostgreSQL the NULL, constant or parameter without a type that is all it holds, which takes the other
    side's.
    """
    if translation.dialect.rules is not Rules.POSTGRESQL:
        return column
    place = relation.columns.index(column)
    while isinstance(relation, Sort | LimitOffset | Filter):
        relation = relation.input
    if not isinstance(relation, Project):
        return column
    value = relation.outputs[place].expression
    return value if value == NULL or conversions.is_untyped(value) else column


def _ordered(bound: BoundQuery, node: exp.Expr, env: Env, right: BoundQuery | None = None) -> BoundQuery:
    """A query with the ORDER BY and LIMIT that stand behind it."""
    order = node.args.get("order")
    relation = bound.relation
    if order is not None:
        keys = [sort_key(item, _output(item.this, bound, right), env) for item in order.expressions]
        relation = Sort(relation, tuple(keys))
    count, offset = limits(node, env)
    if count is not None or offset is not None:
        relation = LimitOffset(relation, count, offset)
    return replace(bound, relation=relation)


def _output(tree: exp.Expr, bound: BoundQuery, right: BoundQuery | None) -> Column:
    """The output an ORDER BY behind a set operation means: by position, name, or as it is written in the select list."""
    tree = tree.unnest()
    if isinstance(tree, exp.Literal) and str(tree.this).isdecimal() and 1 <= int(tree.this) <= len(bound.names):
        return bound.relation.columns[int(tree.this) - 1]
    sides = [bound, right] if right is not None else [bound]
    if isinstance(tree, exp.Column) and not tree.table:
        for side in sides:
            for place, name in enumerate(side.names):
                if name.casefold() == tree.name.casefold():
                    return bound.relation.columns[place]
    for side in sides:
        for place, item in enumerate(side.trees):
            if item is not None and item.unalias() == tree:
                return bound.relation.columns[place]
    if isinstance(tree, exp.Column):
        raise no_such("output column", tree.name, bound.names, tree)
    raise statement_gap("ORDER BY an expression after a set operation", tree)


def _parenthesised(node: exp.Subquery, env: Env, wish: str) -> BoundQuery:
    return _ordered(bind_query(node.this, env, wish), node, env)


def _values(node: exp.Values, env: Env, wish: str) -> BoundQuery:
    rows = [[bind(cell, env) for cell in row.expressions] for row in node.expressions]
    if len({len(row) for row in rows}) != 1:
        raise mistake("VALUES has rows of different lengths", node)
    alias = env.translation.alias(wish or "rows")
    found = values_of([one_value.common(column, env.translation) for column in zip(*rows, strict=True)], alias)
    return _ordered(BoundQuery(found, tuple(column.name for column in found.columns)), node, env)


def values_of(columns: Sequence[tuple[Sequence[Expression], Type]], alias: str) -> Values:
    """Rows that are written, by their columns: the values of each, and their type."""
    named = tuple(
        Column(alias, f"column{place}", kind, any(map(nullable, cells)), kind == ANY)
        for place, (cells, kind) in enumerate(columns, 1)
    )
    return Values(alias, named, tuple(zip(*(cells for cells, _ in columns), strict=True)))


def bind_recursive(name: str, cte: Cte, env: Env) -> Relation:
    """A WITH RECURSIVE's query: its base, and its step over the rows found last."""
    query = cte.query
    assert isinstance(query, exp.SetOperation)
    if not isinstance(query, exp.Union) or query.args.get("limit") or query.args.get("order"):
        raise statement_gap("a recursion with other than UNION", query)
    base = bind_query(query.this, env).relation
    names = cte.columns or tuple(column.name for column in base.columns)
    alias = env.translation.alias(name)
    columns = tuple(replace(c, alias=alias, name=n, nullable=True) for n, c in zip(names, base.columns, strict=False))
    _like_those(columns, base.columns, env.translation)
    step = _step(query, name, cte, alias, columns, env)
    _same_width(base, step, query)
    if [a.type.name for a in step.columns] != [b.type.name for b in columns]:
        kinds = [one_value.common([a, b], env.translation)[1] for a, b in zip(columns, step.columns, strict=True)]
        columns = tuple(replace(c, type=kind, mixed=kind == ANY) for c, kind in zip(columns, kinds, strict=True))
        step = _step(query, name, cte, alias, columns, env)
    return Recursive(alias, columns, base, step, not query.args.get("distinct"))


def _step(query: exp.SetOperation, name: str, cte: Cte, alias: str, columns: tuple[Column, ...], env: Env) -> Relation:
    def working(wish: str) -> Relation:
        own = env.translation.alias(wish)
        renamed = tuple(replace(column, alias=own) for column in columns)
        _like_those(renamed, columns, env.translation)
        return Working(alias, own, renamed)

    ctes = {**cte.ctes, name.casefold(): replace(cte, columns=(), working=working)}
    return bind_query(query.expression, replace(env, ctes=ctes)).relation


def _like_those(columns: Sequence[Column], others: Sequence[Column], translation: Translation) -> None:
    """Columns that stand for others have their affinities and collations."""
    for column, other in zip(columns, others, strict=False):
        translation.affinities[column.alias, column.name] = translation.affinities.get((other.alias, other.name))
        keep(column, translation.collations.get((other.alias, other.name)), translation)
        note_digits(column, other, translation)
