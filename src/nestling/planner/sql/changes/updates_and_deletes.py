"""UPDATE and DELETE: which rows, which attributes, which values – each as its attribute keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from sqlglot import exp

from nestling.ir.model import Entity
from nestling.ir.quantity_words import counted
from nestling.ir.statements.algebra import Scan
from nestling.ir.statements.expression import Expression
from nestling.ir.statements.operators import Rules
from nestling.ir.statements.write import Delete, Returning, SeenRows, Update
from nestling.planner.sql.changes.assignments import assignments, refuse, source_of
from nestling.planner.sql.changes.joined_writes import Others
from nestling.planner.sql.changes.outer_joins import OuterTable, joined_tables
from nestling.planner.sql.changes.returning import bind_returning
from nestling.planner.sql.expressions import predicate
from nestling.planner.sql.from_clause import bind_scan
from nestling.planner.sql.gaps import StatementGap, mistake, no_such, statement_gap
from nestling.planner.sql.parse import Parsed
from nestling.planner.sql.queries import with_ctes
from nestling.planner.sql.scope import Env, Scope, Translation

_Write = TypeVar("_Write", exp.Update, exp.Delete)


def bind_update(node: exp.Update, parsed: Parsed, translation: Translation) -> Update:
    """UPDATE of one table, joined to others or not."""
    node = _first_rows(node, translation)
    target = _target(node, translation)
    returning = target.returning(parsed)
    if target.others is None:
        changes = assignments(_pairs(node.expressions), target.entity, target.env)
        seen = SeenRows.SO_FAR if translation.dialect.is_sqlite else SeenRows.BEFORE
        return Update(target.scan, changes, _where(node, target.env), returning, seen)
    changes = assignments(_pairs(node.expressions), target.entity, target.env, target.others)
    return Update(target.scan, changes, target.others.condition(), returning)


def bind_delete(node: exp.Delete, parsed: Parsed, translation: Translation) -> Delete:
    """DELETE from one table, joined to others or not."""
    node = _first_rows(node, translation)
    target = _target(node, translation)
    condition = _where(node, target.env) if target.others is None else target.others.condition()
    return Delete(target.scan, condition, target.returning(parsed))


def _first_rows(node: _Write, translation: Translation) -> _Write:
    """MySQL's ORDER BY and LIMIT of a write: the same of the rows whose keys a SELECT with both finds."""
    if translation.dialect.rules is not Rules.MYSQL or not node.args.get("limit"):
        refuse(node, "order", "limit")
        return node
    joined = _joined(node, translation)
    table = joined.target
    if joined.others or joined.outer or not isinstance(table, exp.Table):
        raise statement_gap(f"{node.key.upper()} of joined tables with LIMIT", node)
    key = translation.entity(table).key
    if len(key) != 1:
        raise statement_gap(f"{node.key.upper()} with LIMIT on a table whose key is not one column", node)
    column = exp.column(key[0], table=table.alias_or_name, quoted=True)
    chosen = exp.Select(expressions=[column.copy()]).from_(table.copy())
    for clause in ("where", "order", "limit"):
        if (said := node.args.get(clause)) is not None:
            chosen.set(clause, said.copy())
    found = node.copy()
    found.set("where", exp.Where(this=exp.In(this=column, query=exp.Subquery(this=chosen))))
    found.set("order", None)
    found.set("limit", None)
    return found


def _where(node: exp.Expr, env: Env) -> Expression | None:
    where = node.args.get("where")
    return predicate(where.this, env) if where is not None else None


def _pairs(nodes: Sequence[exp.Expr]) -> list[exp.Expr]:
    """Assignments of one column each: `(a, b) = (1, 2)` is two."""
    found: list[exp.Expr] = []
    for node in nodes:
        if isinstance(node, exp.EQ) and isinstance(node.this, exp.Tuple) and isinstance(node.expression, exp.Tuple):
            columns, given = node.this.expressions, node.expression.expressions
            if len(columns) != len(given):
                raise mistake(f"{counted(len(given), 'value')} for {counted(len(columns), 'column')}", node)
            found += [exp.EQ(this=one, expression=other) for one, other in zip(columns, given, strict=True)]
        else:
            found.append(node)
    return found


@dataclass(frozen=True)
class _Target:
    """The table a write changes, what its own columns mean, and the tables joined to it."""

    entity: Entity
    scan: Scan
    env: Env
    others: Others | None

    def returning(self, parsed: Parsed) -> Returning | None:
        """What is answered of the changed rows."""
        if self.others is not None and (clause := parsed.tree.args.get("returning")) is not None:
            self.others.refuse_answers(clause)
        (source,) = self.env.scope.sources
        return bind_returning(parsed, source.name, self.scan, self.env.translation)


def _target(node: exp.Expr, translation: Translation) -> _Target:
    tables = _joined(node, translation)
    table = tables.target
    if not isinstance(table, exp.Table):
        raise statement_gap(f"{node.key.upper()} of that", node)
    entity = translation.entity(table)
    name = table.alias or table.name
    scan = bind_scan(entity, name, translation)
    source = source_of(name, scan)
    env = Env(translation, Scope((source,)), ctes=with_ctes(node, Env(translation)))
    others = None
    if tables.others or tables.outer:
        others = Others(
            translation, source, tuple(tables.others), tuple(tables.conditions), env.ctes, tuple(tables.outer)
        )
    return _Target(entity, scan, env, others)


@dataclass(frozen=True)
class _Joined:
    """The target, the other tables with the conditions on all of them, WHERE's and those of joins, and those of LEFT JOINs."""

    target: exp.Expr
    others: Sequence[exp.Expr]
    conditions: Sequence[exp.Expr]
    outer: Sequence[OuterTable] = ()


def _joined(node: exp.Expr, translation: Translation) -> _Joined:
    if not isinstance(node.this, exp.Expr):
        raise mistake(f"{node.key.upper()} names no table", node, "write DELETE FROM")
    where = node.args.get("where")
    conditions = [where.this] if where is not None else []
    using, source = node.args.get("using") or [], node.args.get("from_")
    listed = node.this if node.this.args.get("joins") else None
    if using and node.this.name.casefold() in {table.alias_or_name.casefold() for table in _all_tables(using[0])}:
        listed = using[0]  # MySQL's second form: the target is one of the tables after USING
    if listed is None:
        named = node.args.get("tables") or ()
        if named and [table.name.casefold() for table in named] != [node.this.alias_or_name.casefold()]:
            raise _several("DELETE from", node)
        return _Joined(node.this, [source.this] if source is not None else list(using), conditions)
    first, *joins = joined_tables(listed, node)
    tables = [first.table, *(join.table for join in joins)]
    target = tables[_place(node, tables, translation)]
    others = [each for each in (first, *joins) if each.table is not target]
    plain = [each for each in (first, *joins) if each.table is target or not each.is_outer]
    conditions += [each.on for each in plain if each.on is not None]
    return _Joined(
        target,
        [each.table for each in others if not each.is_outer],
        conditions,
        [OuterTable(each.table, each.on) for each in others if each.is_outer and each.on is not None],
    )


def _several(of: str, node: exp.Expr) -> StatementGap:
    return statement_gap(
        f"{of} several tables", node, "write one statement for each table, in a transaction of a Store"
    )


def _all_tables(table: exp.Expr) -> list[exp.Expr]:
    """A table, and those joined to it."""
    first = table.copy()
    first.set("joins", None)
    return [first, *(join.this for join in table.args.get("joins") or ())]


def _place(node: exp.Expr, tables: Sequence[exp.Expr], translation: Translation) -> int:
    """Which of MySQL's tables the write is about."""
    names = [table.alias_or_name.casefold() for table in tables]
    if isinstance(node, exp.Delete):
        wanted = {table.name.casefold() for table in node.args.get("tables") or (node.this,)}
    else:
        columns = [pair.this for pair in node.expressions if isinstance(pair.this, exp.Column)]
        wanted = {column.table.casefold() or _having(column, tables, translation) for column in columns}
    if len(wanted) != 1:
        raise _several("DELETE from" if isinstance(node, exp.Delete) else "UPDATE of", node)
    if not wanted <= set(names):
        raise no_such("table", min(wanted), names, node)
    return names.index(wanted.pop())


def _having(column: exp.Column, tables: Sequence[exp.Expr], translation: Translation) -> str:
    """The one table that has the column."""
    found = [
        table.alias_or_name.casefold()
        for table in tables
        if isinstance(table, exp.Table) and column.name.casefold() in _attributes(table, translation)
    ]
    if len(found) != 1:
        raise statement_gap(
            f"an UPDATE of `{column.name}` in joined tables; name its table, `table.{column.name} = …`", column
        )
    return found[0]


def _attributes(table: exp.Table, translation: Translation) -> set[str]:
    return {name.casefold() for name in translation.entity(table).attribute_names}
