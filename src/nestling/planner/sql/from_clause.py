"""FROM: tables, derived tables, CTEs and joins become one relation and the scope of names it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from nestling.ir.model import Entity, View
from nestling.ir.quantity_words import counted, cut
from nestling.ir.statements.algebra import INNER_JOINS, Filter, Join, JoinKind, Relation, Scan, Values
from nestling.ir.statements.columns import column_of
from nestling.ir.statements.expression import TRUE, Column, Expression
from nestling.ir.statements.operands import conjunction
from nestling.ir.statements.operators import Comparison, Rules
from nestling.planner.sql import common_type as one_value
from nestling.planner.sql import conversions
from nestling.planner.sql.called import function_name
from nestling.planner.sql.collations import collation_of, keep
from nestling.planner.sql.expressions import predicate
from nestling.planner.sql.gaps import mistake, no_such, statement_gap
from nestling.planner.sql.mysql.read_types import column_read
from nestling.planner.sql.scope import Cte, Env, FromSource, Scope, Translation

_Tables = tuple[Relation, Scope]
MOST_JOINS = 100
"""SQLite and MySQL stop at some sixty; the time to translate grows with the square."""
_SEEN_BY_LATERAL = (*INNER_JOINS, JoinKind.LEFT)
"""Joins of which LATERAL on the right may mention the left."""


def bind_from(select: exp.Select, env: Env) -> _Tables:
    """The relation and scope of a SELECT's FROM and joins; one empty row if it has none. `env` is the scope around it."""
    source = select.args.get("from_")
    if select.args.get("laterals") or select.args.get("match"):
        raise statement_gap("LATERAL", select)
    if source is None or _is_no_table(select, source.this, env):
        return Values(env.translation.alias("nothing"), (), ((),)), Scope()
    relation, scope = bind_table(source.this, env)
    joins = select.args.get("joins") or ()
    if len(joins) > MOST_JOINS:
        raise statement_gap(f"more than {MOST_JOINS} joins", select)
    late: list[exp.Expr] = []
    for place, join in enumerate(joins):
        ahead = env.dialect.is_sqlite and _looks_ahead(join, joins[place + 1 :])
        if ahead:
            late.append(join.args["on"])
        relation, scope = _join((relation, scope), exp.Join(this=join.this, kind="CROSS") if ahead else join, env)
    for on in late:
        relation = Filter(relation, predicate(on, replace(env, scope=scope)))
    return relation, scope


def _is_no_table(select: exp.Select, table: exp.Expr, env: Env) -> bool:
    """Whether FROM names MySQL's DUAL, which stands for no table."""
    is_alone = isinstance(table, exp.Table) and not (table.db or table.alias or select.args.get("joins"))
    is_named_so = is_alone and table.name.casefold() == "dual" and "dual" not in env.translation.entities
    return is_named_so and env.dialect.rules is Rules.MYSQL


def _looks_ahead(join: exp.Join, later: Sequence[exp.Join]) -> bool:
    """Whether an inner join's ON mentions a table joined later, which SQLite allows: it is a condition like WHERE's then."""
    on = join.args.get("on")
    if on is None or _kind(join) is not JoinKind.INNER or any(_kind(other) not in INNER_JOINS for other in later):
        return False
    names = {other.this.alias_or_name.casefold() for other in later}
    return any(column.table.casefold() in names for column in on.find_all(exp.Column))


def bind_table(node: exp.Expr, env: Env) -> _Tables:
    """One item of FROM, with the joins inside its parentheses."""
    if isinstance(node, exp.Paren) or (isinstance(node, exp.Subquery) and _is_item(node.this)):
        found = bind_table(node.this, env)
    elif isinstance(node, exp.Table):
        found = _named(node, env)
    elif isinstance(node, exp.Subquery):
        found = _derived(node, env)
    elif isinstance(node, exp.Values):
        found = _derived(exp.Subquery(this=node, alias=node.args.get("alias")), env)
    elif isinstance(node, exp.Unnest):
        found = _unnested(node, node.args.get("alias"), env)
    else:
        raise statement_gap(f"{node.key.upper()} in FROM", node)
    for join in node.args.get("joins") or ():
        found = _join(found, join, env)
    return found


def _is_item(node: exp.Expr) -> bool:
    """Whether what is in parentheses is an item of FROM, and no query."""
    if isinstance(node, exp.Subquery):
        return bool(node.alias or node.args.get("joins")) or _is_item(node.this)
    return isinstance(node, exp.Table)


def _named(node: exp.Table, env: Env) -> _Tables:
    if isinstance(node.this, exp.ExplodingGenerateSeries) and env.dialect.rules is Rules.POSTGRESQL:
        from nestling.planner.sql.postgresql.series import bind_series

        rows, name = bind_series(node, env)
        return rows, Scope((_source(name, rows, node),))
    if not isinstance(node.this, exp.Identifier):
        raise statement_gap(f"a table function, `{cut(node.this.sql(dialect=env.dialect.grammar))}`", node)
    cte = env.ctes.get(node.name.casefold()) if not node.db else None
    if cte is not None:
        return _cte(node, cte, env)
    view = env.translation.view(node)
    if view is not None:
        return _view(node, view, env)
    entity = env.translation.entity(node)
    scan = bind_scan(entity, node.alias or node.name, env.translation)
    return scan, Scope((_source(node.alias or node.name, scan, node),))


def _view(node: exp.Table, view: View, env: Env) -> _Tables:
    from nestling.planner.sql.views import bind_view

    name = node.alias or node.name
    bound = bind_view(view, env.translation, name)
    return bound.relation, Scope((_source(name, bound.relation, node, bound.names),))


def bind_scan(entity: Entity, wish: str, translation: Translation) -> Scan:
    """An entity under an alias of its own, its attributes' affinities noted."""
    alias = translation.alias(wish)
    columns = tuple(column_read(column_of(a, alias), translation) for a in entity.attributes)
    translation.scans[alias] = entity
    for column, attribute in zip(columns, entity.attributes, strict=True):
        keep(column, attribute.collation, translation)
    if translation.dialect.is_sqlite:
        for column in columns:
            translation.affinities[alias, column.name] = conversions.affinity_of_type(column.type)
    return Scan(entity.name, alias, columns)


def _source(name: str, relation: Relation, node: exp.Expr, names: tuple[str, ...] = ()) -> FromSource:
    """A source whose columns are the relation's, renamed by `AS t(a, b)` or a CTE's list."""
    alias = node.args.get("alias")
    given = (
        tuple(column.name for column in alias.args.get("columns") or ()) if isinstance(alias, exp.TableAlias) else ()
    )
    given = given or names
    if len(given) > len(relation.columns):
        raise mistake(f"`{name}` has {counted(len(relation.columns), 'column')}, not {len(given)}", node)
    found = [column.name for column in relation.columns]
    titles = (*given, *found[len(given) :])
    return FromSource(name, tuple(zip(titles, relation.columns, strict=True)))


def _derived(node: exp.Subquery, env: Env) -> _Tables:
    from nestling.planner.sql.queries import bind_query

    outside = replace(env, scope=Scope()) if env.parent is None else replace(env.parent, ctes=env.ctes)
    bound = bind_query(node, outside, node.alias)
    return bound.relation, Scope((_source(node.alias, bound.relation, node),))


def _unnested(node: exp.Unnest, alias: exp.TableAlias | None, env: Env) -> _Tables:
    from nestling.planner.sql.postgresql.elements import bind_elements

    elements, name = bind_elements(node, alias, env)
    return elements, Scope((FromSource(name, tuple((column.name, column) for column in elements.columns)),))


def _right(node: exp.Expr, left: Scope, env: Env) -> _Tables:
    """What is joined: LATERAL, which a function is without the word, may mention the tables on its left."""
    from nestling.planner.sql.queries import bind_query

    if isinstance(node, exp.Unnest):
        return bind_table(node, replace(env, scope=left))
    if not isinstance(node, exp.Lateral):
        return bind_table(node, env)
    if isinstance(node.this, exp.Unnest):
        return _unnested(node.this, node.args.get("alias"), replace(env, scope=left))
    if not isinstance(node.this, exp.Subquery):
        raise statement_gap(f"LATERAL {function_name(node.this, env.dialect.grammar)}", node)
    bound = bind_query(node.this, replace(env, scope=left), node.alias)
    return bound.relation, Scope((_source(node.alias, bound.relation, node),))


def _cte(node: exp.Table, cte: Cte, env: Env) -> _Tables:
    from nestling.planner.sql.queries import bind_query, bind_recursive

    name = node.alias or node.name
    outside = Env(env.translation, ctes=cte.ctes)
    if cte.working is not None:
        relation = cte.working(name)
    elif cte.recursive:
        relation = bind_recursive(node.name, cte, outside)
    else:
        relation = bind_query(cte.query, outside, name).relation
    return relation, Scope((_source(name, relation, node, cte.columns),))


def _join(left: _Tables, node: exp.Join, env: Env) -> _Tables:
    kind = _kind(node)
    right = _right(node.this, left[1] if kind in _SEEN_BY_LATERAL else Scope(), env)
    scope, equal = _merge(left[1], right[1], _shared(left[1], right[1], node), kind, node, env)
    on = node.args.get("on")
    if on is not None:
        equal = predicate(on, replace(env, scope=scope))
    if kind is JoinKind.CROSS and equal is not None:
        kind = JoinKind.INNER
    if kind is not JoinKind.CROSS and equal is None:
        if kind is not JoinKind.INNER:
            raise mistake(f"{kind.value.upper()} JOIN without ON or USING", node)
        kind = JoinKind.CROSS
    if kind is JoinKind.LEFT and equal == TRUE:
        equal = None
    joined = Join(kind, left[0], right[0], equal)
    return joined, _after(scope, joined)


def _kind(node: exp.Join) -> JoinKind:
    side = str(node.side or "").upper()
    kind = str(node.kind or "").upper()
    if kind in ("SEMI", "ANTI", "ASOF", "STRAIGHT") or node.method.upper() not in ("", "NATURAL"):
        raise statement_gap(f"{kind or node.method.upper()} JOIN", node)
    if side:
        return JoinKind(side.casefold())
    return JoinKind.CROSS if kind == "CROSS" else JoinKind.INNER


def _shared(left: Scope, right: Scope, node: exp.Join) -> list[str]:
    """The names a USING or NATURAL join compares."""
    using = node.args.get("using") or ()
    if node.method.upper() != "NATURAL":
        return [name.name for name in using]
    rights = {name.casefold() for name, _ in right.columns()}
    return list(dict.fromkeys(name for name, _ in left.columns() if name.casefold() in rights))


def _merge(
    left: Scope, right: Scope, names: list[str], kind: JoinKind, node: exp.Join, env: Env
) -> tuple[Scope, Expression | None]:
    """The scope of both, where the shared names are one column each, and the condition that they are equal."""
    merged: list[tuple[str, Expression]] = []
    equal: list[Expression] = []
    for name in names:
        sides = []
        for scope in (left, right):
            if (side := scope.find(name, node)) is None:
                tables = "`, `".join(source.name for source in scope.sources)
                raise no_such("column", name, (known for known, _ in scope.columns()), node, of=tables)
            sides.append(side)
        if len({side.type.is_char for side in sides}) > 1:
            raise statement_gap(f"USING `{name}`, which is `char` on one side only", node)
        rule = collation_of(sides, env.translation)
        equal.append(conversions.compare(Comparison.EQUAL, sides[0], sides[1], env.translation, rule))
        merged.append((_written(left, name), _one(sides[0], sides[1], kind, env)))
    folded = frozenset(name.casefold() for name in names)
    old = tuple((name, column) for name, column in left.merged + right.merged if name.casefold() not in folded)
    sources = tuple(replace(source, hidden=source.hidden | folded) for source in left.sources + right.sources)
    return Scope(sources, (*merged, *old)), conjunction(*equal)


def _written(scope: Scope, name: str) -> str:
    return next((known for known, _ in scope.columns() if known.casefold() == name.casefold()), name)


def _one(left: Expression, right: Expression, kind: JoinKind, env: Env) -> Expression:
    if kind is JoinKind.RIGHT:
        return right
    return one_value.coalesce([left, right], env.translation) if kind is JoinKind.FULL else left


def _after(scope: Scope, joined: Join) -> Scope:
    """The scope with each column as nullable as the join leaves it."""
    now = {(column.alias, column.name): column for column in joined.columns}

    def seen(expression: Expression) -> Expression:
        return (
            now.get((expression.alias, expression.name), expression) if isinstance(expression, Column) else expression
        )

    sources = tuple(
        replace(source, columns=tuple((name, seen(column)) for name, column in source.columns))
        for source in scope.sources
    )
    return Scope(sources, tuple((name, seen(column)) for name, column in scope.merged))
