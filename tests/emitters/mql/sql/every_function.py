"""Calls of every function the planner knows, made of its own tables: each argument in turn is of every kind."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import product

import sqlglot
from sqlglot import exp

from nestling.common.errors import WorkloadError
from nestling.planner.sql.dialect import dialect_of
from nestling.planner.sql.functions import FUNCTIONS, NAMES
from nestling.planner.sql.gaps import StatementGap
from nestling.planner.sql.parse import parse

MOST_ARGUMENTS = 3
_CHOICES = (exp.Coalesce, exp.Nullif, exp.If)
"""What is written as a function, and has no row of its own in the planner's table."""


@dataclass(frozen=True)
class Form:
    """A function's name and how many arguments it is given."""

    name: str
    arguments: int

    def call(self, arguments: Sequence[str]) -> str:
        """The call, as SQL."""
        return f"{self.name}({', '.join(arguments)})"


def forms(dialect: str, has: Callable[[Form], bool], more: Sequence[str] = ()) -> Iterator[Form]:
    """The functions of sqlglot's grammar, and `more`, that the planner has a row for and the engine has: one name of each."""
    rules = dialect_of(dialect)
    grammar = sqlglot.Dialect.get_or_raise(rules.grammar)
    named = {name.casefold() for name in (*grammar.parser_class.FUNCTIONS, *NAMES, *more) if name.isidentifier()}
    trees: set[exp.Expr] = set()
    for name, count in product(sorted(named), range(MOST_ARGUMENTS + 1)):
        form = Form(name, count)
        if not has(form):
            continue
        try:
            (item,) = parse(f"SELECT {form.call('abc'[:count])} FROM t", rules).tree.expressions
        except (StatementGap, WorkloadError):
            continue
        if _is_known(item) and item not in trees:
            trees.add(item)
            yield form


def _is_known(node: exp.Expr) -> bool:
    if isinstance(node, exp.Anonymous):
        return node.name.casefold() in NAMES
    return type(node) in FUNCTIONS or isinstance(node, _CHOICES)


def calls(form: Form, kinds: Sequence[str], others: Sequence[Sequence[str]]) -> Iterator[str]:
    """The form with each argument in turn of every kind, beside each of the `others`; one without arguments as it is."""
    if not form.arguments:
        yield form.call([])
    some = others[: 2 if form.arguments == 2 else 1]
    found = (
        form.call([*other[:place], kind, *other[place + 1 : form.arguments]])
        for other, place, kind in product(some, range(form.arguments), kinds)
    )
    yield from dict.fromkeys(found)


def sqlite_names() -> list[str]:
    """SQLite's own scalar functions, but those that tell of the connection, and random ones."""
    with closing(sqlite3.connect(":memory:")) as connection:
        return [row[0] for row in connection.execute("SELECT DISTINCT name FROM pragma_function_list WHERE type = 's'")]
