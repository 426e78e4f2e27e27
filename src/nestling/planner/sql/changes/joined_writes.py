"""UPDATE and DELETE that join other tables: the target's rows that have a partner, and values taken from it.

SQL changes a row once however many partners it has, and takes the values of any of them. So the join becomes an EXISTS, and a
value a scalar subquery – which is right only where there is one partner at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from sqlglot import exp

from nestling.ir.statements.algebra import (
    Filter,
    GroupBy,
    Join,
    JoinKind,
    LimitOffset,
    Named,
    Project,
    Relation,
    Scan,
    Sort,
    Values,
    filtered,
)
from nestling.ir.statements.expression import Column, Compare, Exists, Expression, Raw
from nestling.ir.statements.operands import columns_of, conjunction, conjuncts, has_subquery
from nestling.ir.statements.operators import Collation, Comparison, Rules
from nestling.ir.types import Type
from nestling.planner.sql.changes.outer_joins import OuterTable, on_other_rows, with_values
from nestling.planner.sql.changes.written_partners import (
    are_distinct,
    as_rows,
    keys_of,
    listed,
    parameters_among,
    with_types,
)
from nestling.planner.sql.expressions import bind
from nestling.planner.sql.from_clause import bind_table
from nestling.planner.sql.gaps import StatementGap, no_constant_called, statement_gap
from nestling.planner.sql.outputs import select_items
from nestling.planner.sql.scope import Cte, Env, FromSource, Scope, Translation
from nestling.planner.sql.subquery_values import value_of


@dataclass(frozen=True)
class Others:
    """The other tables of a write and the conditions that join them, bound again wherever their rows are needed."""

    translation: Translation
    target: FromSource
    tables: tuple[exp.Expr, ...]
    conditions: tuple[exp.Expr, ...]
    ctes: Mapping[str, Cte]
    outer: tuple[OuterTable, ...] = ()

    def condition(self) -> Expression | None:
        """The condition that the target's row has a partner; conditions on the row alone stand outside the EXISTS."""
        partners = self.partners()
        if partners.relation is None:
            return conjunction(*partners.conditions)
        inside: list[Expression] = []
        own: list[Expression] = []
        for each in partners.conditions:
            (inside if partners.concern(each) else own).append(each)
        rows, relation = filtered(partners.relation, conjunction(*inside)), partners.relation
        named = listed(relation, inside) if isinstance(relation, Values) else ()
        return conjunction(*own, *named, Exists(rows))

    def value(self, node: exp.Expr, kind: Type, kept: Callable[[Expression], Expression]) -> Expression:
        """A value that may mention the partner's columns; a gap where there may be several partners.

        `kind`, `kept`: the type of what is set, and a value as it is kept there, for parameters that have no other type.
        """
        partners = self.partners()
        found = bind(node, self._with_outer(partners.env, node))
        if partners.relation is None or not partners.concern(found):
            return found
        rows = partners.relation
        if (
            isinstance(rows, Values)
            and isinstance(found, Column)
            and self.translation.dialect.rules is Rules.POSTGRESQL
        ):
            partners = replace(partners, relation=with_types(rows, found.name, kind, kept))
            assert partners.relation is not None
            found = next(each for each in partners.relation.columns if each.name == found.name)
        return self._value(partners, found, node)

    def _with_outer(self, env: Env, node: exp.Expr) -> Env:
        """The scope with the tables of LEFT JOINs, whose columns are NULL without a partner."""
        sources = list(env.scope.sources)
        for table in self.outer:

            def value(column: Expression, table: OuterTable = table) -> Expression:
                rows = table.rows(env, self.ctes)
                assert isinstance(column, Column)
                own = next(each for each in rows.relation.columns if each.name == column.name)
                return self._value(Partners(rows.relation, rows.env, rows.on), own, node)

            sources += with_values(table.rows(env, self.ctes).sources, node, value)
        return replace(env, scope=Scope(tuple(sources)))

    def _value(self, partners: Partners, found: Expression, node: exp.Expr) -> Expression:
        if not partners.is_one(self.translation):
            raise partners.several(node)
        assert partners.relation is not None
        rows = filtered(partners.relation, conjunction(*partners.conditions))
        relation = Project(rows, self.translation.alias("partner"), (Named("value", found),))
        return value_of(relation, node, self.translation, what="the value of another table", many_fail=False)

    def refuse_answers(self, clause: exp.Expr) -> None:
        """Raise a gap for a RETURNING that answers columns of the other tables, as SQLite's never does."""
        if self.translation.dialect.is_sqlite:
            return
        partners = self.partners()
        for item in select_items(clause.expressions, partners.env.scope, partners.env):
            found = item.column if item.tree is None else bind(item.tree.unalias(), partners.env)
            if found is not None and partners.concern(found):
                name = self.target.name
                raise statement_gap(
                    f"RETURNING of columns of a joined table; `{name}.*` and the columns of `{name}` are converted",
                    clause,
                )

    def partners(self) -> Partners:
        """The tables and conditions under aliases of their own."""
        relation: Relation | None = None
        sources: list[FromSource] = [self.target]
        for table in self.tables:
            found, scope = bind_table(table, Env(self.translation, ctes=self.ctes))
            rows = as_rows(found)
            relation = rows if relation is None else Join(JoinKind.CROSS, relation, rows, None)
            sources += scope.sources
        env = Env(self.translation, Scope(tuple(sources)), self.ctes)
        conditions = on_other_rows(self.conditions, self.outer, env, self.ctes)
        return Partners(relation, env, tuple(conditions))


@dataclass(frozen=True)
class Partners:
    """The rows of the other tables, and the conditions on them; the target's columns are free in both."""

    relation: Relation | None
    env: Env
    conditions: tuple[Expression, ...]

    def concern(self, expression: Expression) -> bool:
        """Whether the expression mentions them, or holds a subquery, which might."""
        own = {column.alias for column in self.relation.columns} if self.relation is not None else set()
        return any(column.alias in own for column in columns_of(expression)) or has_subquery(expression)

    def several(self, node: exp.Expr) -> StatementGap:
        """The gap of a value of which it is not seen that there is one at most."""
        rows = self.relation
        if not isinstance(rows, Values):
            what = "values from another table, which may have several rows for one row of the target"
            return statement_gap(f"{what}; pick one with a subquery such as `(SELECT max(name) …)`", node)
        known = keys_of(rows, self.conditions, untyped=True)
        keys = [name for name, other in known.items() if _is_known(other, {rows.alias})]
        if names := parameters_among(rows, keys):
            return no_constant_called("values from VALUES with keys that may repeat", names, node)
        what = "values from VALUES with rows that may match the same row of the target"
        return statement_gap(f"{what}; use distinct constants, as in `t (id, name)` … `WHERE item.id = t.id`", node)

    def is_one(self, translation: Translation) -> bool:
        """Whether at most one of the rows meets the conditions: a key of every table is fixed, one after the other."""
        leaves, conditions = _leaves(self.relation) if self.relation is not None else None, [*self.conditions]
        if leaves is None:
            return False
        found, more = leaves
        conditions += more
        open_aliases = {leaf.columns[0].alias for leaf in found}
        for _ in found:
            for leaf in found:
                alias = leaf.columns[0].alias
                if alias in open_aliases and _is_fixed(leaf, conditions, open_aliases, translation):
                    open_aliases.remove(alias)
        return not open_aliases


_Leaf: TypeAlias = Scan | Project | Values


def _is_fixed(leaf: _Leaf, conditions: Sequence[Expression], open_aliases: set[str], translation: Translation) -> bool:
    if isinstance(leaf, Values):
        known = keys_of(leaf, conditions)
        return are_distinct(leaf, [name for name, other in known.items() if _is_known(other, open_aliases)])
    fixed = {
        column.name
        for condition in conditions
        for column, other in _equal(condition, translation)
        if column.alias == leaf.columns[0].alias and _is_known(other, open_aliases)
    }
    return any(fixed.issuperset(unique) for unique in _uniques(leaf, translation))


def _uniques(leaf: Scan | Project, translation: Translation) -> Iterator[tuple[str, ...]]:
    """The columns of which no two rows have the same values: those of keys, and those that were grouped by."""
    if isinstance(leaf, Scan):
        entity = translation.scans[leaf.alias]
        yield from entity.unique_groups
        return
    group = _group_under(leaf)
    assert group is not None
    names = {(each.alias, each.name): out.name for out in leaf.outputs if isinstance(each := out.expression, Column)}
    keys = [(group.alias, key.name) for key in group.keys]
    if all(key in names for key in keys):
        yield tuple(names[key] for key in keys)


def _group_under(relation: Project) -> GroupBy | None:
    """The groups it shows, each once; None where it shows other rows, or groups texts that are equal otherwise than by `=`."""
    inner = relation.input
    while isinstance(inner, Filter | Sort | LimitOffset):
        inner = inner.input
    is_plain = isinstance(inner, GroupBy) and all(rule is Collation.BINARY for rule in inner.collations)
    return inner if isinstance(inner, GroupBy) and is_plain else None


def _equal(condition: Expression, translation: Translation) -> Iterator[tuple[Column, Expression]]:
    """The columns an equality says the value of."""
    if isinstance(condition, Compare) and condition.operator is Comparison.EQUAL:
        for one, other in ((condition.left, condition.right), (condition.right, condition.left)):
            column = _bare(one)
            if isinstance(column, Column):
                rule = translation.collations.get((column.alias, column.name), condition.collation)
                if rule is condition.collation:
                    yield column, other


def _bare(expression: Expression) -> Expression:
    return expression.operand if isinstance(expression, Raw) else expression


def _is_known(expression: Expression, open_aliases: set[str]) -> bool:
    """Whether it has one value: none of the tables that are not fixed yet is in it."""
    return not has_subquery(expression) and all(column.alias not in open_aliases for column in columns_of(expression))


def _leaves(relation: Relation) -> tuple[list[_Leaf], list[Expression]] | None:
    """The tables and groups under inner joins and the conditions there; None when there is more to it."""
    relation = as_rows(relation)
    match relation:
        case Project() if _group_under(relation) is not None:
            return [relation], []
        case Scan() | Values():
            return [relation], []
        case Filter(input=inner, predicate=condition):
            found = _leaves(inner)
            return None if found is None else (found[0], [*found[1], *conjuncts(condition)])
        case Join(kind=JoinKind.INNER | JoinKind.CROSS, left=left, right=right, condition=joined):
            sides = [_leaves(side) for side in (left, right)]
            if sides[0] is None or sides[1] is None:
                return None
            conditions = conjuncts(joined)
            return [*sides[0][0], *sides[1][0]], [*sides[0][1], *sides[1][1], *conditions]
        case _:
            return None
