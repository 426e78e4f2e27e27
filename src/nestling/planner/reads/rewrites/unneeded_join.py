"""A join to a parent nothing is taken from changes nothing: every child row meets one, or in an outer join at most one."""

from __future__ import annotations

from collections import Counter

from nestling.ir.design import Design
from nestling.ir.model import Relationship
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import JoinKind, Relation
from nestling.ir.statements.expression import Expression
from nestling.ir.statements.operands import conjuncts
from nestling.planner.reads.rewrites.conjuncts import restricted
from nestling.planner.reads.rewrites.links import without_link
from nestling.planner.reads.traverse import aliases, everything, everywhere, mentioned, used


def without_unneeded(relation: Relation, design: Design) -> Relation:
    """The relation without the joins from which nothing is used."""
    counts = Counter(column.alias for column in used(relation))
    counts.update(column.alias for column in relation.columns)
    return everywhere(relation, lambda each: _without(each, counts, design))


def _without(relation: Relation, counts: Counter[str], design: Design) -> Relation:
    if not isinstance(relation, a.Join) or relation.condition is None:
        return relation
    if isinstance(relation.right, a.Scan) and relation.kind in (JoinKind.INNER, JoinKind.LEFT):
        rest = _remaining_conditions(relation, relation.left, relation.right, counts, design)
        if rest is not None:
            return restricted(relation.left, rest)
    if isinstance(relation.left, a.Scan) and relation.kind is JoinKind.INNER:
        rest = _remaining_conditions(relation, relation.right, relation.left, counts, design)
        if rest is not None:
            return restricted(relation.right, rest)
    return relation


def _remaining_conditions(
    join: a.Join, side: Relation, parent: a.Scan, counts: Counter[str], design: Design
) -> list[Expression] | None:
    """The conditions that stay when the parent goes; None when it cannot."""
    conditions = conjuncts(join.condition)
    asked = Counter(column.alias for each in conditions for column in mentioned(each))
    if counts[parent.alias] != asked[parent.alias]:
        return None
    scans = {scan.alias: scan for scan in everything(side) if isinstance(scan, a.Scan)}
    for link in design.model.relationships:
        if link.parent != parent.entity:
            continue
        for alias in sorted(aliases(side) & scans.keys()):
            rest = (
                without_link(conditions, link, parent=parent.alias, child=alias)
                if scans[alias].entity == link.child
                else None
            )
            if rest is None or any(column.alias == parent.alias for each in rest for column in mentioned(each)):
                continue
            if join.kind is JoinKind.LEFT and not rest:
                return []
            if join.kind is JoinKind.INNER and _always_meets(link, side, design):
                return rest
    return None


def _always_meets(link: Relationship, side: Relation, design: Design) -> bool:
    """Whether every row of the side has a parent: the relationship is total and no outer join leaves the child out."""
    return design.model.is_total(link) and not any(
        isinstance(each, a.Join) and each.kind not in (JoinKind.INNER, JoinKind.CROSS) for each in everything(side)
    )
