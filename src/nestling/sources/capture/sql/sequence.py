"""The order of the statements that one command becomes: none should change what a later one depends on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from nestling.ir.statements.sql_dialects import SQLITE
from nestling.sources.capture.sql.documents import Written
from nestling.sources.statements.placeholders import rewritten

CHANGED_BEFORE = (
    "one command makes several changes at once; in SQL they are separate statements, and an earlier one changes what this one"
    " depends on"
)


@dataclass(frozen=True, slots=True)
class _Use:
    """The table a statement changes, the columns it sets (None: whole rows), and the tables and columns it finds its rows by."""

    table: str
    sets: frozenset[str] | None
    tables: frozenset[str]
    columns: frozenset[str]

    def disturbs(self, other: _Use) -> bool:
        """Whether the other, asked afterwards, may find other rows."""
        if self.table not in other.tables:
            return False
        return self.sets is None or bool(self.sets & other.columns)


def in_order(made: Iterable[Written], *, as_given: bool = False) -> list[Written]:
    """The statements in an order in which none changes what a later one depends on; if there is no such order, a note says so.

    `as_given`: they stay in their order.
    """
    left = [(each, _use(each[1])) for each in made]
    ordered: list[tuple[Written, _Use]] = []
    while left:
        free = (one for one in left if not any(one[1].disturbs(other) for _, other in left if other is not one[1]))
        first = left[0] if as_given else next(free, left[0])
        left.remove(first)
        ordered.append(first)
    for place, ((_, _, draft), use) in enumerate(ordered):
        if any(earlier.disturbs(use) for _, earlier in ordered[:place]):
            draft.notes.append(CHANGED_BEFORE)
    return [each for each, _ in ordered]


def _use(sql: str) -> _Use:
    tree = sqlglot.parse_one(rewritten(sql, SQLITE, lambda _before, _name: "?", str), dialect=SQLITE)
    target = tree.find(exp.Table)
    sets = None
    searched: list[exp.Expr] = []
    if isinstance(tree, exp.Update):
        sets = frozenset(each.this.name for each in tree.expressions)
    if isinstance(tree, exp.Insert):
        searched = [tree.expression] if isinstance(tree.expression, exp.Query) else []
    elif (where := tree.args.get("where")) is not None:
        searched = [where]
    columns = frozenset(column.name for each in searched for column in each.find_all(exp.Column))
    tables = {table.name for each in searched for table in each.find_all(exp.Table)}
    own = {target.name} if target is not None and searched and not isinstance(tree, exp.Insert) else set()
    return _Use(target.name if target is not None else "", sets, frozenset(tables | own), columns)
