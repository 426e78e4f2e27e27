"""An inner join that only asks whether there is a child is an EXISTS: where the child lies in its parent's document, that is a
condition on the array, before which nothing need be unwound, and the parents come in the order of an index.

It changes no count where at most one child of each parent fits, as the conditions give its key values, or rows are told once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from nestling.ir import algebra as a
from nestling.ir.algebra import Relation
from nestling.ir.design import Design
from nestling.ir.expression import Exists, Expression
from nestling.ir.layout import NodeKind, Role
from nestling.planner.reads.rewrites.conjuncts import about, restricted
from nestling.planner.reads.rewrites.join_order import crossed, inner_leaves
from nestling.planner.reads.rewrites.links import fixed_column, is_unique, scan_of, without_link
from nestling.planner.reads.rewrites.pushdown import push_predicates
from nestling.planner.reads.traverse import mentioned, used


def with_children_asked(relation: Relation, design: Design) -> Relation | None:
    """The same rows; None where no join is one that only asks."""
    pushed = push_predicates(relation)
    counts = Counter(column.alias for column in (*used(pushed), *pushed.columns))
    found = _below(pushed, counts, design, once=False)
    return found if found != pushed else None


def _below(relation: Relation, counts: Counter[str], design: Design, *, once: bool) -> Relation:
    """`once`: whether the same row several times is the same as one."""
    match relation:
        case a.Distinct():
            return replace(relation, input=_below(relation.input, counts, design, once=True))
        case a.Project():
            return replace(relation, input=_below(relation.input, counts, design, once=once))
        case a.Sort() | a.Limit() | a.Group() | a.Window():
            return replace(relation, input=_below(relation.input, counts, design, once=False))
        case a.Join() | a.Filter(input=a.Join()):
            leaves, asked = inner_leaves(relation)
            return _asked(leaves, asked, counts, design, once=once) or relation
        case _:
            return relation


def _asked(
    leaves: list[Relation], conditions: list[Expression], counts: Counter[str], design: Design, *, once: bool
) -> Relation | None:
    """What inner joins join, with an EXISTS for each leaf that is only asked for; None where there is none."""
    for leaf in leaves:
        child, own = scan_of(leaf)
        if child is None:
            continue
        about_it = [*own, *(each for each in conditions if child.alias in about(each))]
        others = [each for each in leaves if each is not leaf]
        mentions = sum(column.alias == child.alias for each in about_it for column in mentioned(each))
        if mentions != counts[child.alias] or not others or not _lies_in(child, others, about_it, design):
            continue
        fixed = {column.name for each in about_it if (column := fixed_column(each, child.alias)) is not None}
        if not once and not is_unique(design.model.entity(child.entity), fixed):
            continue
        rest = [each for each in conditions if child.alias not in about(each)]
        kept = _asked(others, rest, counts, design, once=once) if len(others) > 1 else None
        return restricted(kept or restricted(crossed(others), rest), [Exists(restricted(child, about_it))])
    return None


def _lies_in(child: a.Scan, others: list[Relation], asked: list[Expression], design: Design) -> bool:
    """Whether its rows are elements of the documents of another of the tables, to which it is joined along that."""
    for parent in (found for each in others if (found := scan_of(each)[0]) is not None):
        for place in design.places.get(child.entity, ()):
            node = place.node
            if node.kind is not NodeKind.EMBEDDED or node.embedding is None or place.store.role is not Role.HOME:
                continue
            link = design.model.relationship(node.embedding.relationship)
            joined = without_link(asked, link, parent=parent.alias, child=child.alias) is not None
            if link.parent == parent.entity and node.form.to_many and joined:
                return True
    return False
