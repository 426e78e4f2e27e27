"""Rows are grouped before they meet the parents that only name their groups: one lookup for a group, not one for each row.

`SELECT c.id, c.name, SUM(o.total) … GROUP BY c.id, c.name` groups orders by their foreign key and looks the customers up after.
That is the same where the keys determine the foreign key, no aggregate asks about the parent, and nothing restricts it but the
join. After a LIMIT where every row has its parent and the order asks nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from nestling.ir.design import Design
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import Relation
from nestling.ir.statements.expression import Column, Expression
from nestling.ir.statements.operands import has_subquery
from nestling.ir.statistics import Statistics
from nestling.planner.reads.rewrites.join_order import order_joins
from nestling.planner.reads.rewrites.links import keys_of
from nestling.planner.reads.rewrites.parents_of_groups import (
    ColumnNames,
    GroupSplit,
    JoinedParent,
    interchangeable,
    joined_with,
    replaced,
    scans,
    split_off,
)
from nestling.planner.reads.rewrites.pushdown import push_predicates
from nestling.planner.reads.traverse import everywhere, expressions, mapped, mentioned

_Kept = TypeVar("_Kept", bound=a.Project | a.Filter | a.Sort | a.LimitOffset)


def with_early_groups(relation: Relation, design: Design, statistics: Statistics) -> Relation:
    """The relation with groups formed before the joins with parents, where possible."""
    return everywhere(relation, lambda each: _early(each, design, statistics) if isinstance(each, a.Project) else each)


def _early(project: a.Project, design: Design, statistics: Statistics) -> Relation:
    chain: list[a.Filter | a.Sort | a.LimitOffset] = []
    below = project.input
    while isinstance(below, a.Filter | a.Sort | a.LimitOffset):
        chain.append(below)
        below = below.input
    above = [*expressions(project), *(each for node in chain for each in expressions(node))]
    if not isinstance(below, a.GroupBy) or any(map(has_subquery, above)):
        return project

    def is_determined(parent: JoinedParent, leaves: list[Relation], conditions: list[Expression]) -> bool:
        return {own for _, own in parent.pairs} <= _determined(below, leaves, conditions, design)

    split = split_off(below, design, is_determined)
    if split is None:
        return project
    inner = push_predicates(split.group.input)
    group = replace(split.group, input=order_joins(inner, design, statistics))
    rows = _joined_again(replace(split, group=group), chain)
    return replace(_renamed(project, split.names), input=rows)


def _determined(
    group: a.GroupBy, leaves: Iterable[Relation], conditions: Iterable[Expression], design: Design
) -> frozenset[Column]:
    """The columns that have one value in each group: those grouped by, what equals them, rows whose key is among them."""
    known = {key.expression for key in group.keys if isinstance(key.expression, Column)}
    pairs = [pair for each in conditions if (pair := interchangeable(each)) is not None]
    tables = scans(leaves)
    size = -1
    while len(known) > size:
        size = len(known)
        for one, other in pairs:
            if one in known or other in known:
                known |= {one, other}
        for scan in tables:
            if any(known.issuperset(key) for key in keys_of(scan, design.model.entity(scan.entity))):
                known.update(scan.columns)
    return frozenset(known)


# --- the parents, above -----------------------------------------------------------------------------------------------------


def _joined_again(split: GroupSplit, chain: Sequence[a.Filter | a.Sort | a.LimitOffset]) -> Relation:
    """The group and what was done to it, with the parents joined where they are first asked for, or last."""
    renamed = [_renamed(node, split.names) for node in chain]
    asked = {column.alias for node in renamed for each in expressions(node) for column in mentioned(each)}
    limited = any(isinstance(node, a.LimitOffset) for node in chain)
    late: list[JoinedParent] = []
    for parent in reversed(split.parents):
        needed = parent.scan.alias in asked or any(
            other.alias == parent.scan.alias for each in split.parents if each not in late for _, other in each.pairs
        )
        if limited and parent.total and not needed:
            late.append(parent)
    rows: Relation = split.group
    for parent in (each for each in split.parents if each not in late):
        rows = joined_with(rows, parent)
    for node in reversed(renamed):
        rows = replace(node, input=rows)
    for parent in reversed(late):
        rows = joined_with(rows, parent)
    sort = next((node for node in renamed if isinstance(node, a.Sort)), None)
    return rows if not late or sort is None else replace(sort, input=rows)


def _renamed(node: _Kept, names: ColumnNames) -> _Kept:
    return mapped(node, lambda each: replaced(each, names))
