"""Children asked for by their foreign key alone, said by their parent: where every child has one, its key is that foreign key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nestling.ir.model import Model, Relationship
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import Relation
from nestling.ir.statements.expression import Column, Compare, Expression
from nestling.ir.statements.operands import conjunction, conjuncts, has_subquery
from nestling.ir.statements.operators import Comparison
from nestling.planner.reads.rewrites.conjuncts import about, restricted
from nestling.planner.reads.traverse import mentioned, rewritten


@dataclass(frozen=True, slots=True)
class Parents:
    """The parents of the children that are asked for, and the condition that joins these with them."""

    rows: Relation
    scan: a.Scan
    on: tuple[Expression, ...]


def fixed_column(predicate: Expression) -> Column | None:
    """The column that a predicate says equals a constant; what depends on a row around this may be computed in that row."""
    if not isinstance(predicate, Compare) or predicate.operator is not Comparison.EQUAL:
        return None
    for one, other in ((predicate.left, predicate.right), (predicate.right, predicate.left)):
        if isinstance(one, Column) and not has_subquery(other) and not about(other):
            return one
    return None


def is_sound(link: Relationship, scan: a.Scan, predicates: Sequence[Expression], model: Model) -> bool:
    """Whether every child has its parent, keys are written alike on both sides, and the children have no other conditions."""
    columns = [column for each in predicates for column in mentioned(each) if column.alias == scan.alias]
    plain = not any(map(has_subquery, predicates))
    return plain and tells_parent(link, model) and all(c.name in link.child_attributes for c in columns)


def tells_parent(link: Relationship, model: Model) -> bool:
    """Whether every child has its parent, and keys look the same on both sides."""
    child, parent = model.entity(link.child), model.entity(link.parent)
    alike = all(
        child.attribute(one).type == parent.attribute(other).type
        and not child.attribute(one).also
        and not parent.attribute(other).also
        for one, other in zip(link.child_attributes, link.parent_attributes, strict=True)
    )
    return alike and model.is_total(link)


def parents_of(scan: a.Scan, predicates: Sequence[Expression], link: Relationship, model: Model) -> Parents:
    """The parents the predicates leave, joined with the children."""
    alias = f"parent of {scan.alias}"
    entity = model.entity(link.parent)
    columns = tuple(Column(alias, each.name, each.type, each.nullable, bool(each.also)) for each in entity.attributes)
    parent = a.Scan(link.parent, alias, columns)
    by_name = {column.name: column for column in (*scan.columns,)}
    pairs = zip(link.child_attributes, link.parent_attributes, strict=True)
    on = tuple(
        Compare(Comparison.EQUAL, by_name[child], next(c for c in columns if c.name == other)) for child, other in pairs
    )
    asked = conjunction(*(to_parent(each, scan, link, model) for each in predicates))
    return Parents(restricted(parent, conjuncts(asked)), parent, on)


def to_parent(expression: Expression, scan: a.Scan, link: Relationship, model: Model) -> Expression:
    """The expression with the parent's key for the foreign key."""
    entity = model.entity(link.parent)
    to = dict(zip(link.child_attributes, link.parent_attributes, strict=True))

    def change(each: Expression) -> Expression | None:
        if not isinstance(each, Column) or each.alias != scan.alias:
            return None
        attribute = entity.attribute(to[each.name])
        return Column(f"parent of {scan.alias}", attribute.name, attribute.type, attribute.nullable)

    return rewritten(expression, change)
