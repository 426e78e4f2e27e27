"""What statements say about columns: the constants each is compared with, which columns are equated, which parameters they meet.

A `Mentions` is read off one SELECT (subqueries have their own) with the tables of the schema at hand, so that a column without
a table finds the one that has it. Nothing here knows any particular case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

GRAMMAR = {"sqlite": "sqlite", "postgresql": "postgres", "mysql": "mysql"}
Columns = Mapping[str, tuple[str, ...]]
"""Table (casefolded) to its columns (casefolded)."""
At = tuple[str, str]
"""(alias, column) or (table, column)."""


@dataclass
class Select:
    """One SELECT: its tables by alias, and the conjunctions of its WHERE and ON clauses."""

    tree: exp.Select
    tables: dict[str, str]
    outer: Select | None = None
    conditions: list[exp.Expr] = field(default_factory=list)

    def find(self, column: exp.Column, columns: Columns) -> tuple[Select, At] | None:
        """The SELECT and the (alias, column) a column belongs to; None for columns of derived tables."""
        alias, name = column.table.casefold(), column.name.casefold()
        for own, table in self.tables.items():
            if (alias == own or not alias) and name in columns.get(table, ()):
                return self, (own, name)
        return self.outer.find(column, columns) if self.outer is not None else None


def selects(sql: str, dialect: str) -> list[Select]:
    """The SELECTs of a statement, outer ones first; none for what cannot be parsed."""
    try:
        tree = sqlglot.parse_one(sql, dialect=GRAMMAR[dialect])
    except SqlglotError:
        return []
    found: list[Select] = []
    _collect(tree, None, found)
    return found


def _collect(node: exp.Expr, outer: Select | None, found: list[Select]) -> None:
    here = outer
    if isinstance(node, exp.Select):
        here = Select(node, {}, outer)
        found.append(here)
        source = node.args.get("from_")
        joins = node.args.get("joins") or []
        for each in [*([source.this] if source is not None else []), *(join.this for join in joins)]:
            if isinstance(each, exp.Table):
                here.tables[(each.alias or each.name).casefold()] = each.name.casefold()
        where = node.args.get("where")
        for clause in [*([where.this] if where is not None else []), *(join.args.get("on") for join in joins)]:
            if clause is not None:
                here.conditions += conjuncts(clause)
    for child in node.iter_expressions():
        _collect(child, here, found)


def conjuncts(condition: exp.Expr) -> list[exp.Expr]:
    """What must all be true."""
    condition = condition.unnest()
    if isinstance(condition, exp.And):
        return [*conjuncts(condition.left), *conjuncts(condition.right)]
    return [condition]


def comparisons(node: exp.Expr) -> Iterator[tuple[exp.Expr, str, exp.Expr]]:
    """(one side, operator, other side) of every comparison in a tree, each way round."""
    for each in node.walk():
        if isinstance(each, exp.Between):
            yield each.this, ">=", each.args["low"]
            yield each.this, "<=", each.args["high"]
        elif isinstance(each, exp.In):
            yield from ((each.this, "=", item) for item in each.expressions)
        elif (operator := OPERATORS.get(type(each))) is not None:
            yield each.this, operator, each.expression
            if operator in MIRRORED:
                yield each.expression, MIRRORED[operator], each.this


OPERATORS: dict[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=", exp.Like: "like", exp.ILike: "like",
}  # fmt: skip
MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def constant(node: exp.Expr) -> str | None:
    """A constant's text; None for what is none."""
    node = node.unnest()
    if isinstance(node, exp.Cast):
        node = node.this
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        return f"-{node.this.this}"
    if isinstance(node, exp.Literal):
        return str(node.this)
    return {True: "true", False: "false"}[bool(node.this)] if isinstance(node, exp.Boolean) else None


def parameter(node: exp.Expr) -> str | None:
    """A parameter's name."""
    node = node.unnest()
    return node.name if isinstance(node, exp.Placeholder) and node.name else None


@dataclass
class Mentions:
    """Over all statements, by (table, column): constants with their operators, and columns equated with each other."""

    constants: dict[At, list[tuple[str, str]]] = field(default_factory=dict)
    equal: list[tuple[At, At]] = field(default_factory=list)

    def add(self, select: Select, columns: Columns) -> None:
        """What one SELECT says; a function around a column is looked through, its constant may still be one the column holds."""
        for clause in (select.tree.args.get("where"), select.tree.args.get("having"), *select.tree.expressions):
            if clause is not None:
                self._of(clause, select, columns)
        for join in select.tree.args.get("joins") or ():
            if join.args.get("on") is not None:
                self._of(join.args["on"], select, columns)

    def _of(self, clause: exp.Expr, select: Select, columns: Columns) -> None:
        for one, operator, other in comparisons(clause):
            here = _table_column(one, select, columns)
            if here is None:
                continue
            value = constant(other)
            if value is not None:
                self.constants.setdefault(here, []).append((operator, value))
            elif operator == "=" and isinstance(one.unnest(), exp.Column) and isinstance(other.unnest(), exp.Column):
                there = _table_column(other, select, columns)
                if there is not None and there != here:
                    self.equal.append((here, there))


def _table_column(node: exp.Expr, select: Select, columns: Columns) -> At | None:
    found = [place for column in node.find_all(exp.Column) if (place := select.find(column, columns)) is not None]
    tables = {(scope.tables[alias], name) for scope, (alias, name) in found}
    return tables.pop() if len(tables) == 1 else None
