"""The first few children of one parent, asked for by the parent's key, are asked for by their foreign key, which equals it.

`FROM p JOIN c ON c.p_id = p.id WHERE p.id = :id ORDER BY c.at LIMIT 10` is `… WHERE c.p_id = :id …`: an index on `p_id, at` has
the ten rows in order, and the parent is looked up behind the limit. Without a limit the one parent is the better start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nestling.ir.model import Model, Relationship
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import Relation
from nestling.ir.statements.expression import Column, Compare, Expression
from nestling.ir.statements.operators import Collation
from nestling.planner.reads.rewrites.conjuncts import about, restricted
from nestling.planner.reads.rewrites.foreign_key_as_parent import fixed_column, tells_parent
from nestling.planner.reads.rewrites.join_order import inner_leaves
from nestling.planner.reads.rewrites.links import scan_of, without_link
from nestling.planner.reads.traverse import everywhere, rewritten


@dataclass(frozen=True, slots=True)
class AskedParent:
    """A parent of which nothing but its key is asked, and the children along a relationship that a limited order is about."""

    parent: a.Scan
    child: a.Scan
    link: Relationship
    predicates: tuple[Expression, ...]

    def of_children(self) -> list[Expression]:
        """The conditions on the parent's key, as conditions on the foreign key."""
        to = dict(zip(self.link.parent_attributes, self.link.child_attributes, strict=True))

        def change(each: Expression) -> Expression | None:
            is_key = isinstance(each, Column) and each.alias == self.parent.alias
            return self.child.column(to[each.name]) if is_key and isinstance(each, Column) else None

        return [rewritten(each, change) for each in self.predicates]


def by_foreign_key(relation: Relation, model: Model) -> Relation:
    """The relation with conditions on a parent's key moved to the foreign key; its predicates must be pushed down."""
    asked = asked_parent(relation, model)
    if asked is None:
        return relation

    def change(each: Relation) -> Relation:
        scan, _ = scan_of(each)
        if isinstance(each, a.Filter) and scan == asked.parent:
            return asked.parent
        return restricted(each, asked.of_children()) if each == asked.child else each

    return everywhere(relation, change)


def asked_parent(relation: Relation, model: Model) -> AskedParent | None:
    """The parent to whose children the outermost limited order applies; None if there is none."""
    while isinstance(relation, a.Project):
        relation = relation.input
    if not isinstance(relation, a.LimitOffset) or not isinstance(relation.input, a.Sort) or relation.count is None:
        return None
    ordered = frozenset[str]().union(*(about(key.expression) for key in relation.input.keys))
    leaves, conditions = inner_leaves(relation.input.input)
    scans = [scan_of(leaf) for leaf in leaves]
    child = next((scan for scan, _ in scans if scan is not None and ordered == {scan.alias}), None)
    if child is None:
        return None
    found = (
        AskedParent(parent, child, link, tuple(predicates))
        for parent, predicates in scans
        for link in model.parents_of(child.entity)
        if parent is not None and _is_told(parent, predicates, child, link, conditions, model)
    )
    return next(found, None)


def _is_told(
    parent: a.Scan,
    predicates: Sequence[Expression],
    child: a.Scan,
    link: Relationship,
    conditions: Sequence[Expression],
    model: Model,
) -> bool:
    """Whether all that is asked of the parent is its key, and the foreign key of the children joined with it is the same."""
    if parent is child or link.parent != parent.entity or not tells_parent(link, model):
        return False
    columns = [_key(each) for each in predicates]
    names = {each.name for each in columns if each is not None and each.alias == parent.alias}
    is_key = None not in columns and names == {*link.parent_attributes}
    return is_key and without_link(conditions, link, parent=parent.alias, child=child.alias) is not None


def _key(predicate: Expression) -> Column | None:
    """The column that equals a constant, to the letter."""
    exact = isinstance(predicate, Compare) and predicate.collation is Collation.BINARY
    return fixed_column(predicate) if exact else None
