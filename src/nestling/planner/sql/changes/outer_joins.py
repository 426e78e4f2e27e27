"""UPDATE and DELETE with LEFT JOIN: conditions on the joined table, and the values taken from it.

`LEFT JOIN b ON … WHERE b.id IS NULL` is a NOT EXISTS. A value of such a table is a scalar subquery, NULL without partner.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from nestling.ir.statements.algebra import Relation, filtered
from nestling.ir.statements.expression import (
    NULL,
    And,
    Column,
    Compare,
    Exists,
    Expression,
    InList,
    IsNull,
    Like,
    Not,
    Or,
)
from nestling.ir.statements.operands import bare, columns_of, conjunction, conjuncts
from nestling.ir.statements.operators import Comparison
from nestling.planner.sql.expressions import predicate
from nestling.planner.sql.from_clause import bind_table
from nestling.planner.sql.gaps import statement_gap
from nestling.planner.sql.scope import Cte, Env, FromSource, Scope


@dataclass(frozen=True)
class OuterTable:
    """A table of a LEFT JOIN and the condition behind ON."""

    table: exp.Expr
    on: exp.Expr

    @property
    def name(self) -> str:
        """The table's name in the statement."""
        return self.table.alias_or_name.casefold()

    def rows(self, around: Env, ctes: Mapping[str, Cte]) -> OuterRows:
        """The rows of the table under an alias of their own; `around` has the tables that its condition may mention."""
        relation, scope = bind_table(self.table, Env(around.translation, ctes=ctes))
        env = replace(around, scope=Scope((*around.scope.sources, *scope.sources)))
        return OuterRows(relation, scope.sources, tuple(conjuncts(predicate(self.on, env))), env)


@dataclass(frozen=True)
class JoinedTable:
    """A table of a list of joins, the condition behind its ON, and whether rows without a partner in it stay."""

    table: exp.Expr
    on: exp.Expr | None = None
    is_outer: bool = False


def joined_tables(listed: exp.Expr, node: exp.Expr) -> list[JoinedTable]:
    """The tables in order, `a RIGHT JOIN b` as `b LEFT JOIN a`; a gap for joins that are not plain and no LEFT JOIN."""
    first = listed.copy()
    first.set("joins", None)
    found = [JoinedTable(first)]
    joins = listed.args.get("joins") or ()
    for join in joins:
        if join.method or (join.args.get("using") and len(joins) > 1):
            raise statement_gap(f"{node.key.upper()} of tables joined by USING or NATURAL; write ON", join)
        on = join.args.get("on") or _using(first, join)
        if join.side == "RIGHT" and len(joins) == 1:
            return [JoinedTable(join.this), JoinedTable(first, on, is_outer=True)]
        if join.side not in ("", "LEFT"):
            raise statement_gap(f"{node.key.upper()} with a {join.side} JOIN; write LEFT JOIN", join)
        found.append(JoinedTable(join.this, on, is_outer=bool(join.side)))
    return found


def _using(first: exp.Expr, join: exp.Expr) -> exp.Expr | None:
    """What USING says as ON does."""

    def column(name: exp.Expr, table: exp.Expr) -> exp.Column:
        return exp.column(name.name, table.alias_or_name, quoted=True)

    names = join.args.get("using") or ()
    equal = [exp.EQ(this=column(name, first), expression=column(name, join.this)) for name in names]
    return exp.and_(*equal) if equal else None


@dataclass(frozen=True)
class OuterRows:
    """Rows of a LEFT JOIN's table, what it is known as, and what must be true of a partner."""

    relation: Relation
    sources: tuple[FromSource, ...]
    on: tuple[Expression, ...]
    env: Env

    def where(self, *more: Expression) -> Relation:
        """The partners of a row of which more is true."""
        return filtered(self.relation, conjunction(*self.on, *more))

    def tells_absence(self, condition: Expression) -> bool:
        """Whether it is true of no partner: the column of one is not NULL."""
        match condition:
            case IsNull(operand=Column() as column):
                equal = [side for each in self.on for side in _equal_sides(each)]
                return column in equal or (column in self.relation.columns and not column.nullable)
            case _:
                return False


def on_other_rows(
    conditions: Sequence[exp.Expr], outer: Sequence[OuterTable], known: Env, ctes: Mapping[str, Cte]
) -> list[Expression]:
    """The conditions, those of tables of LEFT JOINs as conditions on the rows of the other tables, which are `known`."""
    _refuse_nested(conditions, outer)
    rows = [each.rows(known, ctes) for each in outer]
    everything = replace(known, scope=Scope((*known.scope.sources, *(one for each in rows for one in each.sources))))
    asked: dict[int, list[exp.Expr]] = {}
    found: list[Expression] = []
    for node in (part for each in conditions for part in _parts(each)):
        bound = predicate(node, everything)
        places = [place for place, each in enumerate(rows) if _concerns(bound, each)]
        if len(places) > 1:
            raise statement_gap("a condition on tables of two LEFT JOINs; write NOT EXISTS or a subquery for one", node)
        if places:
            asked.setdefault(places[0], []).append(node)
        else:
            found += conjuncts(bound)
    found += [_condition(rows[place], nodes, known) for place, nodes in asked.items()]
    return found


def _parts(node: exp.Expr) -> list[exp.Expr]:
    node = node.unnest()
    return list(node.flatten()) if isinstance(node, exp.And) else [node]


def with_values(
    sources: tuple[FromSource, ...], node: exp.Expr, value: Callable[[Expression], Expression]
) -> tuple[FromSource, ...]:
    """The sources with the columns that the node may mention standing for the values of a partner."""
    named = {column.name.casefold() for column in node.find_all(exp.Column)}
    return tuple(
        replace(
            source, columns=tuple((name, value(column)) for name, column in source.columns if name.casefold() in named)
        )
        for source in sources
    )


def _refuse_nested(conditions: Sequence[exp.Expr], outer: Sequence[OuterTable]) -> None:
    """Raise a gap for a subquery that mentions such a table, and for one whose ON mentions another."""
    names = {each.name for each in outer}
    for condition in conditions:
        for query in condition.find_all(exp.Query):
            if _mentions(query, names):
                raise statement_gap("a subquery that mentions a table of a LEFT JOIN", query)
    for each in outer:
        if _mentions(each.on, names - {each.name}):
            raise statement_gap(
                "a LEFT JOIN by the values of another LEFT JOIN; write NOT EXISTS or a subquery", each.on
            )


def _mentions(node: exp.Expr, names: set[str]) -> bool:
    return any(column.table.casefold() in names for column in node.find_all(exp.Column))


def _condition(rows: OuterRows, asked: Sequence[exp.Expr], known: Env) -> Expression:
    """The condition that a row has a partner, or has none, for which all of `asked` is true; `known` are the other tables."""
    with_partner = [predicate(each, rows.env) for each in asked]
    if any(map(rows.tells_absence, with_partner)):
        others = [each for each, found in zip(asked, with_partner, strict=True) if not rows.tells_absence(found)]
        return _without(rows, others, known)
    has_partner = Exists(rows.where(*with_partner))
    if any(_rejects_null(each, rows) for each in with_partner):
        return has_partner
    return Or((has_partner, _without(rows, asked, known)))


def _without(rows: OuterRows, asked: Sequence[exp.Expr], known: Env) -> Expression:
    """The condition that there is no partner, and that `asked` is true for NULLs in its place."""
    nulls = tuple(replace(source, columns=tuple((name, NULL) for name, _ in source.columns)) for source in rows.sources)
    env = replace(known, scope=Scope((*known.scope.sources, *nulls)))
    found = conjunction(Not(Exists(rows.where())), *(predicate(each, env) for each in asked))
    assert found is not None
    return found


def _rejects_null(condition: Expression, rows: OuterRows) -> bool:
    """Whether it is certainly not true where the table's columns are NULL."""

    def is_own(expression: Expression) -> bool:
        return bare(expression) in rows.relation.columns

    match condition:
        case Compare(operator=operator, left=left, right=right):
            return operator is not Comparison.SAME and (is_own(left) or is_own(right))
        case Not(operand=IsNull(operand=operand)) | InList(operand=operand) | Like(operand=operand):
            return is_own(operand)
        case And(operands=parts):
            return any(_rejects_null(part, rows) for part in parts)
        case _:
            return False


def _equal_sides(condition: Expression) -> list[Expression]:
    if isinstance(condition, Compare) and condition.operator is Comparison.EQUAL:
        return [bare(condition.left), bare(condition.right)]
    return []


def _concerns(condition: Expression, rows: OuterRows) -> bool:
    """Whether the condition mentions a column of the table."""
    own = {column.alias for column in rows.relation.columns}
    return any(column.alias in own for column in columns_of(condition))
