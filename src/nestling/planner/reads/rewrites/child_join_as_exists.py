"""Turns an inner join that only tests whether there is a child into an EXISTS.

If the child is in its parent's document, that is a condition on the array, before which nothing need be unwound, and the parents
come in the order of an index. It changes no count if at most one child of each parent matches, because the conditions give its
key values, or if equal rows are returned once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from nestling.ir.design import Design
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import Relation
from nestling.ir.statements.expression import Exists, Expression
from nestling.ir.storage.layout import NodeKind, Place, Role
from nestling.planner.reads.rewrites.conjuncts import about, restricted
from nestling.planner.reads.rewrites.join_order import cross_product, inner_leaves
from nestling.planner.reads.rewrites.links import fixed_column, forms_inside, scan_of, without_link
from nestling.planner.reads.rewrites.pushdown import push_predicates
from nestling.planner.reads.traverse import aliases, everything, mentioned, used


def with_children_asked(relation: Relation, design: Design) -> Relation | None:
    """The relation with joins that only test for children as EXISTS; None if there is no such join."""
    entities = {each.entity for each in everything(relation) if isinstance(each, a.Scan)}
    if not any(_is_element(place) for entity in entities for place in design.places.get(entity, ())):
        return None
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
        case a.Sort() | a.LimitOffset() | a.GroupBy() | a.Window():
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
        child, _ = scan_of(leaf)
        if child is None:
            continue
        group = [leaf, *_parents_asked(leaf, child, leaves, conditions, counts, design)]
        inside = frozenset().union(*(aliases(each) for each in group))
        others = [each for each in leaves if all(each is not one for one in group)]
        asked = [*_own(group), *(each for each in conditions if not about(each).isdisjoint(inside))]
        if not others or not _only_asked(inside, asked, counts) or not _lies_in(child, others, asked, design):
            continue
        if not once and not _is_one(group, asked, design):
            continue
        rest = [each for each in conditions if about(each).isdisjoint(inside)]
        kept = _asked(others, rest, counts, design, once=once) if len(others) > 1 else None
        scans = [scan for each in group if (scan := scan_of(each)[0]) is not None]
        return restricted(
            kept or restricted(cross_product(others), rest), [Exists(restricted(cross_product(scans), asked))]
        )
    return None


def _parents_asked(
    leaf: Relation,
    child: a.Scan,
    leaves: list[Relation],
    conditions: list[Expression],
    counts: Counter[str],
    design: Design,
) -> Iterator[Relation]:
    """The parents of the child, among what is joined, that nothing else is joined to and that are only asked for, too."""
    for other in leaves:
        parent, own = scan_of(other)
        if parent is None or other is leaf or _lies_in(child, [other], conditions, design):
            continue
        joined = [each for each in conditions if parent.alias in about(each)]
        links = (link for link in design.model.parents_of(child.entity) if link.parent == parent.entity)
        alone = all(about(each) <= {parent.alias, child.alias} for each in joined)
        linked = any(without_link(joined, link, parent=parent.alias, child=child.alias) is not None for link in links)
        if own and alone and linked and _only_asked(frozenset({parent.alias}), [*own, *joined], counts):
            yield other


def _own(leaves: list[Relation]) -> Iterator[Expression]:
    for each in leaves:
        yield from scan_of(each)[1]


def _only_asked(inside: frozenset[str], asked: list[Expression], counts: Counter[str]) -> bool:
    """Whether these conditions are all that mentions these tables."""
    found = Counter(column.alias for each in asked for column in mentioned(each))
    return all(found[alias] == counts[alias] for alias in inside)


def _is_one(group: list[Relation], asked: list[Expression], design: Design) -> bool:
    """Whether at most one row each meets the conditions: a row that is told by its key tells what is equal to its columns."""
    waiting = [scan for each in group if (scan := scan_of(each)[0]) is not None]
    while waiting:
        unknown = {scan.alias for scan in waiting}
        for scan in waiting:
            known = [each for each in asked if about(each) & unknown <= {scan.alias}]
            fixed = {column.name for each in known if (column := fixed_column(each, scan.alias)) is not None}
            if design.model.entity(scan.entity).is_superkey(fixed):
                break
        else:
            return False
        waiting.remove(scan)
    return True


def _lies_in(child: a.Scan, others: list[Relation], asked: list[Expression], design: Design) -> bool:
    """Whether its rows are elements of the documents of another of the tables, to which it is joined along that."""
    parents = (found for each in others if (found := scan_of(each)[0]) is not None)
    return any(form.to_many for parent in parents for form in forms_inside(child, parent, asked, design))


def _is_element(place: Place) -> bool:
    """Whether rows there are elements of an array of other documents."""
    return place.node.kind is NodeKind.EMBEDDED and place.node.form.to_many and place.store.role is Role.HOME
