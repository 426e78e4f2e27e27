"""`ORDER BY parent, child LIMIT n` of a LEFT JOIN: the first `n` parents first, then their children.

`FROM post p LEFT JOIN comment c … ORDER BY p.id DESC, c.id LIMIT 5` shows every post at least once, and all rows of one post
beside each other, as the order begins with what tells posts apart. So the first five rows are of the first five posts.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

from nestling.ir.model import Model
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import JoinKind, Relation
from nestling.ir.statements.expression import Expression, Literal, Parameter
from nestling.ir.statements.operands import has_subquery
from nestling.ir.types import INTEGER
from nestling.planner.reads.determined import determines, row_key, sorted_columns
from nestling.planner.reads.limits import rows_looked_at
from nestling.planner.reads.rewrites.conjuncts import about
from nestling.planner.reads.traverse import aliases, everywhere


def with_late_children(relation: Relation, model: Model) -> Relation:
    """The relation with limited orders of parents applied before their children are joined."""
    return everywhere(relation, lambda each: _late(each, model) if isinstance(each, a.LimitOffset) else each)


def _late(limit: a.LimitOffset, model: Model) -> Relation:
    count = _rows_needed(limit)
    if not isinstance(limit.input, a.Sort) or count is None:
        return limit
    joins: list[a.Join] = []
    rows = limit.input.input
    while isinstance(rows, a.Join) and rows.kind is JoinKind.LEFT:
        joins.append(rows)
        rows = rows.left
    own = aliases(rows)
    first = tuple(takewhile(lambda key: _is_about(key.expression, own), limit.input.keys))
    wanted = row_key(rows, model) if joins and first else None
    if wanted is None or not determines(sorted_columns(first), wanted, rows, model):
        return limit
    found: Relation = a.LimitOffset(a.Sort(rows, first), count)
    for join in reversed(joins):
        found = replace(join, left=found)
    return replace(limit, input=replace(limit.input, input=found))


def _is_about(key: Expression, tables: frozenset[str]) -> bool:
    return not has_subquery(key) and about(key) <= tables


def _rows_needed(limit: a.LimitOffset) -> Expression | None:
    """How many rows are looked at, those left out among them; None where all are, or where no constant says it."""
    if limit.offset is None and isinstance(limit.count, Parameter):
        return limit.count
    number = rows_looked_at(limit.count, limit.offset)
    return Literal(number, INTEGER) if number is not None else None
