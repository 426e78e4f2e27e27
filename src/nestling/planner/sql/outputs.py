"""The outputs of a SELECT: its list with stars written out, the names SQL gives them, and its LIMIT."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal

from sqlglot import exp

from nestling.ir.statements.algebra import Relation
from nestling.ir.statements.expression import NULL, Expression, Literal, Parameter
from nestling.ir.statements.operators import Rules
from nestling.ir.types import INTEGER
from nestling.planner.sql.dialect import Dialect
from nestling.planner.sql.expressions import bind
from nestling.planner.sql.gaps import mistake, no_such, statement_gap
from nestling.planner.sql.parse import Parsed
from nestling.planner.sql.postgresql.output_names import called_function, value_title
from nestling.planner.sql.scope import Env, Scope

MOST_ROWS = 2**53
"""More rows than any table has."""
_BOUNDLESS = Literal(MOST_ROWS, INTEGER)


@dataclass(frozen=True, slots=True)
class BoundQuery:
    """A query's relation, whose columns are exactly its outputs, with their names and (where it is a SELECT) trees."""

    relation: Relation
    names: tuple[str, ...]
    trees: tuple[exp.Expr | None, ...] = ()


@dataclass(frozen=True, slots=True)
class OutputItem:
    """One output of a SELECT: its name, and its tree or (from a star) the column itself."""

    name: str
    tree: exp.Expr | None
    column: Expression | None = None


def select_items(nodes: Sequence[exp.Expr], scope: Scope, env: Env) -> list[OutputItem]:
    """The select list, its stars written out."""
    items: list[OutputItem] = []
    for node in nodes:
        if isinstance(node, exp.Star):
            items += [OutputItem(name, None, column) for name, column in _star(node, scope, env)]
        elif isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
            source = scope.source(node.table)
            if source is None:
                raise no_such("table or alias", node.table, (s.name for s in scope.sources), node)
            items += [OutputItem(name, None, column) for name, column in source.columns]
        else:
            items.append(OutputItem(title_of(node, scope, env), node))
    return items


def _star(node: exp.Star, scope: Scope, env: Env) -> list[tuple[str, Expression]]:
    if any(node.args.get(part) for part in ("except_", "replace", "rename")):
        raise statement_gap("a star with EXCEPT or REPLACE", node)
    if not scope.sources:
        raise mistake("`*` without a FROM", node)
    return scope.columns(in_place=env.dialect.is_sqlite)


def title_of(node: exp.Expr, scope: Scope, env: Env) -> str:
    """The name SQL gives an output: its alias, its column's own name, or what the dialect makes of an expression."""
    if isinstance(node, exp.Alias):
        return node.alias
    inner = node.unnest()
    if isinstance(inner, exp.Column):
        return _declared(inner, scope) if env.dialect.is_sqlite else inner.name
    if env.dialect.lenient:
        return node.sql(dialect=env.dialect.grammar)
    return value_title(inner)


def _declared(node: exp.Column, scope: Scope) -> str:
    sources = scope.sources if not node.table else tuple(filter(None, (scope.source(node.table),)))
    for name, _ in scope.merged if not node.table else ():
        if name.casefold() == node.name.casefold():
            return name
    for source in sources:
        for name, _ in source.columns:
            if name.casefold() == node.name.casefold():
                return name
    return node.name


def limits(node: exp.Expr, env: Env) -> tuple[Expression | None, Expression | None]:
    """The number of rows and the number of rows to skip, from LIMIT, OFFSET or FETCH."""
    clause, after = node.args.get("limit"), node.args.get("offset")
    if isinstance(clause, exp.Fetch):
        if clause.args.get("limit_options") is not None and clause.args["limit_options"].args.get("with_ties"):
            raise statement_gap("FETCH WITH TIES", clause)
        count = clause.args.get("count")
    else:
        count = clause.expression if clause is not None and not _is_all(clause.expression, env) else None
        after = clause.args.get("offset") or after if clause is not None else after
    offset = after.expression if isinstance(after, exp.Offset) else after
    bare = Env(env.translation)
    dialect = env.translation.dialect
    found = [_whole(bind(part, bare), part, dialect) if part is not None else None for part in (count, offset)]
    return None if found[0] == _BOUNDLESS else found[0], found[1]


def _is_all(count: exp.Expr, env: Env) -> bool:
    """PostgreSQL's LIMIT ALL, which is none."""
    return isinstance(count, exp.Var) and count.name.upper() == "ALL" and env.dialect.rules is Rules.POSTGRESQL


def _whole(expression: Expression, node: exp.Expr, dialect: Dialect) -> Expression:
    """A number of rows: a text or float that is worth a whole number is that, as SQLite takes it. One larger than any number
    of rows is `_BOUNDLESS`, as MySQL's 18446744073709551615 behind LIMIT that stands for all rows.
    """
    if isinstance(expression, Parameter):
        return Parameter(expression.name, INTEGER, rules=dialect.rules)
    if expression == NULL and dialect.rules is not Rules.POSTGRESQL:
        raise mistake("LIMIT and OFFSET take a whole number, not NULL", node)
    if not isinstance(expression, Literal) or expression == NULL:
        return expression
    with suppress(ValueError, ArithmeticError):
        number = Decimal(str(expression.value))
        if number < 0 and not dialect.is_sqlite:
            raise mistake(f"`{node.sql()}` rows: LIMIT and OFFSET must not be negative", node)
        if number == int(number) and number < 2 ** (64 if dialect.rules is Rules.MYSQL else 63):
            return Literal(int(number), INTEGER) if number < MOST_ROWS else _BOUNDLESS
    raise mistake(f"`{node.sql()}` rows: LIMIT and OFFSET take a whole number of 64 bits", node)


def result_names(bound: BoundQuery, parsed: Parsed, dialect: Dialect) -> tuple[str, ...]:
    """The outputs' names, as SQL gives them."""
    if len(bound.trees) != len(bound.names):
        return bound.names
    return named_as_written(list(zip(bound.names, bound.trees, strict=True)), parsed, dialect)


def named_as_written(
    outputs: Sequence[tuple[str, exp.Expr | None]], parsed: Parsed, dialect: Dialect
) -> tuple[str, ...]:
    """The names of outputs (name, tree); SQLite and MySQL name an expression by its exact text.

    PostgreSQL names a function's value after the function, as the statement spells it.
    """
    selected = _selected(parsed.tree)
    if len(parsed.items) != len(selected):
        return tuple(name for name, _ in outputs)
    texts = dict(zip(map(id, selected), parsed.items, strict=True))
    if not dialect.lenient:
        return tuple(
            name if tree is None or isinstance(tree, exp.Alias) else called_function(texts.get(id(tree), "")) or name
            for name, tree in outputs
        )
    return tuple(
        texts.get(id(tree), name) if tree is not None and _is_spelled(tree, dialect) else name for name, tree in outputs
    )


def _is_spelled(tree: exp.Expr, dialect: Dialect) -> bool:
    if isinstance(tree, exp.Alias):
        return False
    return not isinstance(tree.unnest(), exp.Column) if dialect.is_sqlite else not isinstance(tree, exp.Column)


def _selected(tree: exp.Expr) -> list[exp.Expr]:
    """The list that names the result's columns: the first SELECT's, or that of RETURNING."""
    if isinstance(tree, exp.DML):
        clause = tree.args.get("returning")
        return clause.expressions if clause is not None else []
    while not isinstance(tree, exp.Select):
        if not isinstance(tree.this, exp.Expr):
            return []
        tree = tree.this
    return tree.expressions
