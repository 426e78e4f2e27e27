"""Joins along relationships: the scan a side is, and the conditions that say that a child refers to its parent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nestling.ir.design import Design
from nestling.ir.model import Entity, Relationship
from nestling.ir.primitives import Form
from nestling.ir.statements import algebra as a
from nestling.ir.statements.expression import Column, Compare, Expression, Raw
from nestling.ir.statements.operands import conjuncts
from nestling.ir.statements.operators import Collation, Comparison
from nestling.ir.storage.layout import NodeKind, Role
from nestling.planner.reads.rewrites.conjuncts import about


def scan_of(relation: a.Relation) -> tuple[a.Scan | None, list[Expression]]:
    """The scan a relation is, and the predicates that restrict it; None when it is more than that."""
    if isinstance(relation, a.Filter) and isinstance(relation.input, a.Scan):
        return relation.input, conjuncts(relation.predicate)
    return (relation, []) if isinstance(relation, a.Scan) else (None, [])


def fixed_column(predicate: Expression, alias: str) -> Column | None:
    """The column of a table that has one value only, as far as this table is concerned."""
    if not isinstance(predicate, Compare) or predicate.operator is not Comparison.EQUAL:
        return None
    if predicate.collation is not Collation.BINARY:
        return None
    for one, other in ((predicate.left, predicate.right), (predicate.right, predicate.left)):
        column = one.operand if isinstance(one, Raw) else one
        if isinstance(column, Column) and column.alias == alias and alias not in about(other):
            return column
    return None


def keys_of(scan: a.Scan, entity: Entity) -> Iterator[list[Column]]:
    """Columns no two rows have the same values of, and no NULL."""
    for key in entity.unique_groups:
        found = [column for column in scan.columns if column.name in key]
        if not any(column.nullable for column in found):
            yield found


def without_link(
    conditions: Sequence[Expression], link: Relationship, *, parent: str, child: str
) -> list[Expression] | None:
    """The conditions that do not say that the child refers to the parent; None when they do not say it."""
    from nestling.planner.reads.correlate import equal_columns

    wanted = dict(zip(link.child_attributes, link.parent_attributes, strict=True))
    rest = []
    for condition in conditions:
        pair = equal_columns(condition, child)
        if pair is not None and pair[1].alias == parent and wanted.get(pair[0].name) == pair[1].name:
            del wanted[pair[0].name]
        else:
            rest.append(condition)
    return None if wanted else rest


def forms_inside(child: a.Scan, parent: a.Scan, conditions: Sequence[Expression], design: Design) -> Iterator[Form]:
    """How the child's rows lie in documents that are not orphans', where these join it along that with the parent they lie in."""
    for place in design.places.get(child.entity, ()):
        node = place.node
        if node.kind is not NodeKind.EMBEDDED or node.embedding is None or place.store.role is not Role.HOME:
            continue
        link = design.model.relationship(node.embedding.relationship)
        if link.parent != parent.entity:
            continue
        if without_link(conditions, link, parent=parent.alias, child=child.alias) is not None:
            yield node.form
