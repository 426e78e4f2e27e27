"""A value for every parameter that has none: taken from rows that satisfy the rest of the statement.

The statement is asked for the columns its parameters are compared with, without those comparisons; a row in the middle of the
answer gives the values, for a lower or an upper bound the least or the greatest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
import sqlglot
from sqlalchemy.exc import SQLAlchemyError
from sqlglot import exp
from sqlglot.errors import SqlglotError

from benchmarks.answers import Statement
from benchmarks.corpora_mentions import GRAMMAR, comparisons, parameter

MOST_ROWS = 200
COUNT = 5
"""What a LIMIT or another parameter that is compared with nothing gets."""


def with_samples(url: str, statements: Sequence[Statement], dialect: str) -> tuple[Statement, ...]:
    """The statements, each parameter with a value."""
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with engine.connect() as connection:
        return tuple(_with_samples(connection, each, dialect) for each in statements)


def _with_samples(connection: sa.Connection, statement: Statement, dialect: str) -> Statement:
    try:
        tree = sqlglot.parse_one(statement.sql, dialect=GRAMMAR[dialect])
    except SqlglotError:
        return statement
    names = {node.name for node in tree.find_all(exp.Placeholder) if node.name}
    given = statement.samples if isinstance(statement.samples, Mapping) else {}
    if not isinstance(tree, exp.Select) or names <= given.keys():
        return statement
    return replace(statement, samples={**_found(connection, tree, names, dialect), **given})


def _found(connection: sa.Connection, tree: exp.Select, names: set[str], dialect: str) -> dict[str, Any]:
    compared: dict[str, tuple[exp.Expr, str]] = {}
    for one, operator, other in comparisons(tree):
        name = parameter(other)
        if name is not None and name not in compared:
            compared[name] = (one.copy(), operator)
    for node in list(tree.find_all(exp.Predicate)):
        if any(parameter(each) is not None for each in node.iter_expressions()):
            node.replace(exp.true())
    tree.set("expressions", [column for column, _ in compared.values()])
    for clause in ("group", "having", "order", "limit", "offset", "distinct", "locks"):
        tree.set(clause, None)
    rows = _rows(connection, tree.limit(MOST_ROWS).sql(dialect=GRAMMAR[dialect])) if compared else []
    values: dict[str, Any] = dict.fromkeys(names, COUNT)
    for place, (name, (_, operator)) in enumerate(compared.items()):
        column = [row[place] for row in rows if row[place] is not None]
        if column:
            middle = column[len(rows) // 2] if len(column) == len(rows) else column[len(column) // 2]
            ends = {">": min, ">=": min, "<": max, "<=": max}
            values[name] = ends[operator](column) if operator in ends else middle
    return values


def _rows(connection: sa.Connection, sql: str) -> list[Any]:
    try:
        return list(connection.execute(sa.text(sql)))
    except SQLAlchemyError:
        return []
