"""`ORDER BY … LIMIT n` first, then the parents: a join that meets one row for each changes neither the order nor the number.

That is an inner join along a foreign key every child has a parent by, or an outer one, also with the only child of each row; the
order asks nothing of what is joined.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from nestling.ir.model import Model, Relationship
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import JoinKind, Relation
from nestling.ir.statements.expression import Expression
from nestling.ir.statements.operands import conjuncts
from nestling.planner.reads.rewrites.conjuncts import about
from nestling.planner.reads.rewrites.links import scan_of, without_link
from nestling.planner.reads.traverse import everywhere


def with_late_parents(relation: Relation, model: Model) -> Relation:
    """The relation with limits before the joins with parents, where possible."""
    return everywhere(relation, lambda each: _late(each, model) if isinstance(each, a.LimitOffset) else each)


def _late(limit: a.LimitOffset, model: Model) -> Relation:
    sort = limit.input if isinstance(limit.input, a.Sort) else None
    asked = frozenset[str]().union(*(about(key.expression) for key in sort.keys)) if sort is not None else frozenset()
    below = sort.input if sort is not None else limit.input
    joins: list[a.Join] = []
    while isinstance(below, a.Join) and _is_late(below, asked, model):
        joins.append(below)
        below = below.left
    if not joins:
        return limit
    found: Relation = replace(limit, input=below if sort is None else replace(sort, input=below))
    for join in reversed(joins):
        found = replace(join, left=found)
    return found if sort is None else replace(sort, input=found)


def _is_late(join: a.Join, asked: frozenset[str], model: Model) -> bool:
    """Whether each row of the left meets exactly one of the right, which the order does not mention."""
    parent, own = scan_of(join.right)
    if parent is None or own or parent.alias in asked or join.kind not in (JoinKind.INNER, JoinKind.LEFT):
        return False
    conditions, inner = conjuncts(join.condition), join.kind is JoinKind.INNER
    if not inner and any(_is_only_child(parent, each, conditions, model) for each in _all(join.left)):
        return True
    return any(
        without_link(conditions, link, parent=parent.alias, child=child.alias) == []
        for child in (_certain(join.left) if inner else _all(join.left))
        for link in model.parents_of(child.entity)
        if link.parent == parent.entity and _is_one(link, model, inner=inner)
    )


def _is_only_child(child: a.Scan, parent: a.Scan, conditions: Sequence[Expression], model: Model) -> bool:
    """Whether the conditions join a row with the one child it may have."""
    entity = model.entity(child.entity)
    return any(
        without_link(conditions, link, parent=parent.alias, child=child.alias) == []
        for link in model.parents_of(child.entity)
        if link.parent == parent.entity and entity.is_superkey(link.child_attributes)
    )


def _is_one(link: Relationship, model: Model, *, inner: bool) -> bool:
    is_key = model.entity(link.parent).is_superkey(link.parent_attributes)
    return is_key and (not inner or model.is_total(link))


def _certain(relation: Relation) -> Iterator[a.Scan]:
    """The scans each row of a relation has a row of."""
    match relation:
        case a.Scan():
            yield relation
        case a.Filter() | a.Sort() | a.LimitOffset():
            yield from _certain(relation.input)
        case a.Join(kind=JoinKind.INNER | JoinKind.CROSS):
            yield from _certain(relation.left)
            yield from _certain(relation.right)
        case a.Join(kind=JoinKind.LEFT):
            yield from _certain(relation.left)
        case _:
            return


def _all(relation: Relation) -> Iterator[a.Scan]:
    """The scans a relation's rows are of, or may be."""
    match relation:
        case a.Scan():
            yield relation
        case a.Filter() | a.Sort() | a.LimitOffset():
            yield from _all(relation.input)
        case a.Join():
            yield from _all(relation.left)
            yield from _all(relation.right)
        case _:
            return
