"""UPDATE and DELETE: which rows, which attributes, which values – each as its attribute keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from sqlglot import exp

from nestling.ir.model import Entity
from nestling.ir.quantity_words import counted
from nestling.ir.statements.algebra import Scan
from nestling.ir.statements.expression import Expression, Rules
from nestling.ir.statements.write import Delete, Returning, Update
from nestling.planner.sql.changes.assignments import assignments, refuse, source_of
from nestling.planner.sql.changes.joined_writes import Others
from nestling.planner.sql.changes.returning import bind_returning
from nestling.planner.sql.expressions import predicate
from nestling.planner.sql.from_clause import bind_scan
from nestling.planner.sql.gaps import mistake, statement_gap
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
        return Update(target.scan, changes, _where(node, target.env), returning)
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
    table, others, _ = _joined(node)
    if others or not isinstance(table, exp.Table):
        raise statement_gap(f"{node.key.upper()} of joined tables with LIMIT", node)
    key = translation.entity(table).key
    if len(key) != 1:
        raise statement_gap(f"{node.key.upper()} with LIMIT of a table whose key is not one column", node)
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
    table, tables, conditions = _joined(node)
    if not isinstance(table, exp.Table):
        raise statement_gap(f"{node.key.upper()} of that", node)
    entity = translation.entity(table)
    name = table.alias or table.name
    scan = bind_scan(entity, name, translation)
    source = source_of(name, scan)
    env = Env(translation, Scope((source,)), ctes=with_ctes(node, Env(translation)))
    others = Others(translation, source, tuple(tables), tuple(conditions), env.ctes) if tables else None
    return _Target(entity, scan, env, others)


def _joined(node: exp.Expr) -> tuple[exp.Expr, list[exp.Expr], list[exp.Expr]]:
    """The target, the other tables, and the conditions on all of them: WHERE's, and in MySQL those of the joins."""
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
            raise statement_gap("DELETE from several tables", node)
        return node.this, [source.this] if source is not None else list(using), conditions
    joins = listed.args.get("joins") or ()
    for join in joins:
        if join.side or join.args.get("using") or join.method:
            raise statement_gap(f"{node.key.upper()} with a join that is not plain", join)
        conditions += [join.args["on"]] if join.args.get("on") is not None else []
    tables = _all_tables(listed)
    place = _place(node, tables)
    return tables[place], [table for n, table in enumerate(tables) if n != place], conditions


def _all_tables(table: exp.Expr) -> list[exp.Expr]:
    """A table, and those joined to it."""
    first = table.copy()
    first.set("joins", None)
    return [first, *(join.this for join in table.args.get("joins") or ())]


def _place(node: exp.Expr, tables: Sequence[exp.Expr]) -> int:
    """Which of MySQL's tables the write is about."""
    if isinstance(node, exp.Delete):
        wanted = {table.name.casefold() for table in node.args.get("tables") or (node.this,)}
    else:
        wanted = {pair.this.table.casefold() for pair in node.expressions if isinstance(pair.this, exp.Column)}
    names = [table.alias_or_name.casefold() for table in tables]
    if len(wanted) != 1 or not wanted <= set(names):
        raise statement_gap(f"{node.key.upper()} of several tables, or of one it does not name", node)
    return names.index(wanted.pop())
