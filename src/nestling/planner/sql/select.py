"""SELECT to relations.

One SELECT becomes, from the inside out: its FROM, a `Filter` for WHERE, a `GroupBy`, a `Filter` for HAVING, a `Window`; then
`Sort`, `LimitOffset` and `Project` – or, where DISTINCT must come between, `Project`, `Distinct`, `Sort` and `LimitOffset`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from nestling.ir.free_names import free_name
from nestling.ir.statements.algebra import (
    Distinct,
    GroupBy,
    LimitOffset,
    Named,
    Project,
    Relation,
    Sort,
    SortKey,
    Window,
    filtered,
)
from nestling.ir.statements.expression import Call, Column, Expression
from nestling.ir.statements.operators import Collation, Function, Rules
from nestling.ir.types import FLOAT, TypeName
from nestling.planner.sql import conversions
from nestling.planner.sql.collations import keep, of_group, output_collation, rules_of
from nestling.planner.sql.distinct import first_of_each, in_columns, once_each
from nestling.planner.sql.expressions import bind, is_aggregate, predicate, sort_key
from nestling.planner.sql.from_clause import bind_from
from nestling.planner.sql.gaps import mistake, statement_gap
from nestling.planner.sql.grouping import SelectGrouping, start_grouping
from nestling.planner.sql.grouping_sets import has_sets, united
from nestling.planner.sql.mysql.given_moments import refuse_text_of_moment
from nestling.planner.sql.mysql.times_as_text import note_digits
from nestling.planner.sql.outputs import BoundQuery, OutputItem, limits, select_items, title_of
from nestling.planner.sql.postgresql import sum_types as sums
from nestling.planner.sql.postgresql.citext_groups import spelled
from nestling.planner.sql.postgresql.rows_in_select import with_rows_in_from
from nestling.planner.sql.present_columns import with_least_nulls
from nestling.planner.sql.row_locks import note_locks
from nestling.planner.sql.scope import Env, SelectWindows, Translation
from nestling.planner.sql.supported_types import refuse_groups

_REFUSED = ("distribute", "sort", "cluster", "connect", "prewhere", "qualify", "into", "kind")

_HINTS = frozenset(
    {
        "STRAIGHT_JOIN",
        "HIGH_PRIORITY",
        "SQL_NO_CACHE",
        "SQL_CACHE",
        "SQL_SMALL_RESULT",
        "SQL_BIG_RESULT",
        "SQL_BUFFER_RESULT",
    }
)
"""What MySQL is told about how to answer, which changes no answer."""


@dataclass
class Select:
    """The translation of one SELECT, step by step. `outside` is what lies around it, `wish` what its alias should be like."""

    node: exp.Select
    outside: Env
    wish: str
    items: list[OutputItem] = field(default_factory=list)
    outputs: dict[str, exp.Expr] = field(default_factory=dict)

    @property
    def translation(self) -> Translation:
        """The translation of the statement."""
        return self.outside.translation

    def bound(self) -> BoundQuery:
        """Build the relation for the SELECT."""
        self._refuse_odd_clauses()
        if self.translation.dialect.rules is Rules.POSTGRESQL:
            self.node = with_rows_in_from(self.node)
        if has_sets(self.node.args.get("group")):
            return self._united()
        parent = self.outside if self.outside.scope.sources or self.outside.parent or self.outside.grouped else None
        rows = Env(self.translation, ctes=self.outside.ctes, parent=parent)
        relation, scope = bind_from(self.node, rows)
        rows = replace(rows, scope=scope)
        self.items = list(select_items(self.node.expressions, scope, rows))
        self.outputs = {item.name.casefold(): item.tree.this for item in self.items if isinstance(item.tree, exp.Alias)}
        where = self.node.args.get("where")
        if where is not None:
            inside = replace(rows, outputs=self.outputs if rows.dialect.aliases_everywhere else {})
            relation = filtered(relation, predicate(where.this, inside))
        grouping = self._grouping(rows)
        windows = SelectWindows(self.translation.alias("windows"), self._named_windows())
        env = replace(rows, grouped=grouping, windows=windows)
        having = self._having(env, grouping)
        named = self._named(env)
        order = self._order(env, named)
        relation = relation if grouping is None else grouping.group(relation)
        relation = filtered(relation, having)
        if windows.functions:
            relation = Window(relation, windows.alias, tuple(windows.functions))
        return BoundQuery(
            self._finish(relation, named, with_least_nulls(order, relation), rows),
            tuple(item.name for item in self.items),
            tuple(item.tree for item in self.items),
        )

    def _refuse_odd_clauses(self) -> None:
        note_locks(self.node, self.translation)
        for word in self.node.args.get("operation_modifiers") or ():
            if word.name.upper() not in _HINTS:
                raise statement_gap(f"SELECT {word.name.upper()}", self.node)
        for clause in _REFUSED:
            if self.node.args.get(clause):
                raise statement_gap(f"{clause.upper()} clause", self.node)

    def _united(self) -> BoundQuery:
        """The groupings of ROLLUP and its like, one after the other."""
        from nestling.planner.sql.queries import bind_query

        rows = Env(self.translation, ctes=self.outside.ctes)
        scope = bind_from(self.node, rows)[1]
        self.items = [OutputItem(title_of(tree, scope, rows), tree) for tree in self.node.expressions]
        self.outputs = {item.name.casefold(): item.tree.this for item in self.items if isinstance(item.tree, exp.Alias)}
        rows = replace(rows, scope=scope)
        names = [item.name for item in self.items]
        return bind_query(united(self.node, names, lambda key: self._group_tree(key, rows)), self.outside, self.wish)

    def _grouping(self, rows: Env) -> SelectGrouping | None:
        group = self.node.args.get("group")
        having = self.node.args.get("having")
        if group is None:
            order = self.node.args.get("order")
            places = [item.tree for item in self.items if item.tree is not None]
            places += [part for part in (having, order) if part is not None]
            is_grouped = any(map(_aggregates, places))
            if having is not None and not is_grouped and rows.dialect.is_sqlite:
                raise mistake("HAVING without GROUP BY and without an aggregate", having, "write WHERE")
            is_filter = having is None or rows.dialect.rules is Rules.MYSQL
            return None if is_filter and not is_grouped else start_grouping((), rows)
        if group.args.get("totals") or group.args.get("all"):
            raise statement_gap("GROUP BY ALL or with totals", group)
        trees = [self._group_tree(tree, rows) for tree in group.expressions]
        inside = replace(rows, outputs=self.outputs)
        return start_grouping(trees, inside)

    def _group_tree(self, tree: exp.Expr, rows: Env) -> exp.Expr:
        """A GROUP BY item, or the select list's item that it names by position or alias."""
        if isinstance(tree, exp.Paren):
            return self._group_tree(tree.this, rows)
        if isinstance(tree, exp.Literal) and not tree.is_string:
            return self._at(tree)
        if isinstance(tree, exp.Column) and not tree.table and rows.scope.find(tree.name, tree) is None:
            return self.outputs.get(tree.name.casefold(), tree)
        return tree

    def _at(self, position: exp.Literal) -> exp.Expr:
        place = int(position.this) if str(position.this).isdecimal() else 0
        if not 1 <= place <= len(self.items):
            raise mistake(f"there is no column {position.this} in the select list", position)
        tree = self.items[place - 1].tree
        if tree is None:
            raise statement_gap("a position inside a star", position)
        return tree.unalias()

    def _named_windows(self) -> dict[str, exp.Expr]:
        return {window.name.casefold(): window for window in self.node.args.get("windows") or ()}

    def _having(self, env: Env, grouping: SelectGrouping | None) -> Expression | None:
        """The condition; in MySQL a name in it is first a key's, then an output's."""
        having = self.node.args.get("having")
        if having is None:
            return None
        outputs = self.outputs if env.dialect.lenient else {}
        is_mysql = env.dialect.rules is Rules.MYSQL
        if is_mysql and grouping is not None:
            keys = {tree.name.casefold() for tree in grouping.trees if isinstance(tree, exp.Column)}
            outputs = {name: tree for name, tree in outputs.items() if name not in keys}
        return predicate(having.this, replace(env, windows=None, outputs=outputs, outputs_first=is_mysql))

    def _named(self, env: Env) -> tuple[Named, ...]:
        """The outputs, with names that are unique."""
        named: list[Named] = []
        taken: set[str] = set()
        for item in self.items:
            expression = self._output(item, env)
            name = free_name(item.name, taken)
            taken.add(name)
            named.append(Named(name, expression))
        return tuple(named)

    def _output(self, item: OutputItem, env: Env) -> Expression:
        if item.tree is not None:
            found = bind(item.tree.unalias(), env)
            if found.type.name is TypeName.DECIMAL and self._is_merged(item.tree, env):
                return found
            return conversions.as_shown(found, self.translation)
        if env.grouped is not None and isinstance(item.column, Column):
            return env.grouped.column(item.column, self.node)
        assert item.column is not None
        return item.column

    def _is_merged(self, tree: exp.Expr, env: Env) -> bool:
        """Whether MySQL passes an output on with all its digits; it does unless it stores it in a temporary table."""
        if env.dialect.rules is not Rules.MYSQL:
            return False
        inside, around = self._place()
        if isinstance(around, exp.SetOperation):
            return True  # whose rows have the digits of both sides
        if env.windows is not None and env.windows.functions:
            return False
        is_grouped, is_distinct = env.grouped is not None, self.node.args.get("distinct") is not None
        if isinstance(around, exp.From | exp.Join | exp.CTE):
            return not (is_grouped or is_distinct or self.node.args.get("limit"))
        is_value = isinstance(inside, exp.Subquery) and not isinstance(around, exp.In | exp.Any | exp.All)
        if not is_value and not isinstance(around, exp.Insert):
            return False
        if is_grouped:
            return _aggregates(tree)
        return not is_distinct and not (isinstance(around, exp.Insert) and self._reads(around))

    def _place(self) -> tuple[exp.Expr, exp.Expr | None]:
        """The query with the parentheses about it, and what these stand in."""
        found: exp.Expr = self.node
        while isinstance(found.parent, exp.Subquery):
            found = found.parent
        return found, found.parent

    def _reads(self, insert: exp.Insert) -> bool:
        """Whether this query of an INSERT reads the table that it fills: MySQL keeps its rows in a table of their own then."""
        target = insert.find(exp.Table)
        return target is not None and any(
            table.name.casefold() == target.name.casefold() for table in self.node.find_all(exp.Table)
        )

    def _order(self, env: Env, named: Sequence[Named]) -> list[SortKey]:
        order = self.node.args.get("order")
        if order is None:
            return []
        inside = replace(env, outputs=self.outputs if env.dialect.lenient else {})
        return [self._order_key(item, inside, named) for item in order.expressions]

    def _order_key(self, item: exp.Ordered, env: Env, named: Sequence[Named]) -> SortKey:
        """A position or an output's name stands for the output; anything else is an expression over the rows."""
        tree = item.this
        if isinstance(tree, exp.Rand):
            return self._at_random(tree)
        while isinstance(tree, exp.Paren | exp.Collate):
            tree = tree.this
        place = self._order_place(tree, env, named)
        if place is None:
            return sort_key(item, bind(tree, env), env)
        return sort_key(item, named[place].expression, env, self.items[place].tree)

    def _at_random(self, tree: exp.Rand) -> SortKey:
        """Rows in any order, another one each time."""
        if self.node.args.get("distinct") is not None:
            raise statement_gap("DISTINCT in a random order", tree)
        number = Call(Function.RANDOM, (), FLOAT, self.translation.dialect.rules)
        return SortKey(number, descending=False, nulls_first=False)

    def _order_place(self, tree: exp.Expr, env: Env, named: Sequence[Named]) -> int | None:
        if isinstance(tree, exp.Literal) and not tree.is_string and str(tree.this).isdecimal():
            if not 1 <= int(tree.this) <= len(named):
                raise mistake(f"there is no column {tree.this} in the select list", tree)
            return int(tree.this) - 1
        if isinstance(tree, exp.Boolean) and env.dialect.rules is Rules.MYSQL:
            raise statement_gap("ORDER BY TRUE or FALSE, which MariaDB takes for the number of a column", tree)
        if isinstance(tree, exp.Column) and not tree.table and self._is_output(tree.name.casefold(), env):
            return next(place for place, item in enumerate(self.items) if item.name.casefold() == tree.name.casefold())
        return None

    def _is_output(self, folded: str, env: Env) -> bool:
        """Whether ORDER BY takes the name for an output's: one given by AS, or (but in SQLite) any."""
        others = () if env.dialect.is_sqlite else (item.name.casefold() for item in self.items)
        return folded in self.outputs or folded in others

    def _finish(self, relation: Relation, named: tuple[Named, ...], order: list[SortKey], env: Env) -> Relation:
        alias = self.translation.alias(self.wish)
        for item, output in zip(named, self.items, strict=True):
            refuse_text_of_moment(item.expression)
            self.translation.affinities[alias, item.name] = conversions.affinity(item.expression, self.translation)
            made = Column(alias, item.name, item.expression.type)
            sums.hand_on(item.expression, made, self.translation)
            note_digits(made, item.expression, self.translation)
            keep(
                made,
                output_collation(item.expression, output.tree, env),
                self.translation,
            )
        distinct = self.node.args.get("distinct")
        if distinct is not None and distinct.args.get("on") is not None:
            relation = first_of_each(relation, self._on(distinct.args["on"], named, env), order, self.translation)
        elif distinct is not None:
            return self._distinct(Project(relation, alias, named), order, env)
        return Project(self._cut(relation, order, env), alias, named)

    def _on(self, on: exp.Expr, named: Sequence[Named], env: Env) -> list[SortKey]:
        """The keys of DISTINCT ON."""
        trees = on.expressions if isinstance(on, exp.Tuple) else [on.unnest()]
        return [self._order_key(exp.Ordered(this=tree), replace(env, outputs={}), named) for tree in trees]

    def _distinct(self, project: Project, order: Sequence[SortKey], env: Env) -> Relation:
        """DISTINCT, then the sort: in terms of its columns, or (SQLite, MySQL) of any of the equal rows."""
        rules = self._collations(project.outputs, env)
        refuse_groups("DISTINCT", self.node, *project.columns)
        keys = in_columns(order, project, self.translation)
        if keys is not None:
            return self._cut(self._once(project, rules), keys, env)
        if not env.dialect.lenient:
            raise mistake("with SELECT DISTINCT, ORDER BY expressions must be in the select list", self.node)
        once, keys, outputs = once_each(project, order, rules, self.translation)
        return Project(self._cut(once, keys, env), project.alias, outputs)

    def _once(self, project: Project, rules: tuple[Collation, ...]) -> Relation:
        """Equal rows once; those with citexts as groups by all their columns."""
        found = spelled(GroupBy(project.input, project.alias, project.outputs, (), rules), self.translation)
        return Distinct(project, rules) if isinstance(found, GroupBy) else found

    def _cut(self, relation: Relation, keys: Sequence[SortKey], env: Env) -> Relation:
        """The relation sorted and limited as the SELECT says."""
        relation = Sort(relation, tuple(keys)) if keys else relation
        count, offset = limits(self.node, env)
        return LimitOffset(relation, count, offset) if count is not None or offset is not None else relation

    def _collations(self, named: Sequence[Named], env: Env) -> tuple[Collation, ...]:
        pairs = zip(self.items, named, strict=True)
        return rules_of([of_group(env, item.tree, output.expression) for item, output in pairs])


def _aggregates(tree: exp.Expr) -> bool:
    """Whether there is an aggregate of this SELECT: not inside a subquery, not the function of a window."""
    if isinstance(tree, exp.Query):
        return False
    if isinstance(tree, exp.Window):
        inner = tree.this.this if isinstance(tree.this, exp.Filter) else tree.this
        parts = [*inner.iter_expressions(), *(part for part in tree.iter_expressions() if part is not tree.this)]
        return any(map(_aggregates, parts))
    return is_aggregate(tree) or any(map(_aggregates, tree.iter_expressions()))
