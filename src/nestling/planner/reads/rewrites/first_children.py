"""The first few children of one parent: what a statement needs no more of, and what a limited copy in the parent may hold.

`ORDER BY … LIMIT n` over the children of a parent named by its key needs each parent's first n. Children asked for by their
foreign key alone are joined with their parent where it holds such a copy: one document then answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from nestling.ir.design import Design
from nestling.ir.model import Relationship
from nestling.ir.primitives import Copy, Form
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import JoinKind, Relation, SortKey
from nestling.ir.statements.expression import Column, Expression
from nestling.ir.statements.operands import conjunction, conjuncts
from nestling.ir.storage.layout import NodeKind
from nestling.ir.tolerance import Tolerated
from nestling.ir.types import ORDERED_ALIKE
from nestling.planner.reads.limits import rows_looked_at
from nestling.planner.reads.rewrites.computed import InnerJoins, inner_joined
from nestling.planner.reads.rewrites.conjuncts import about
from nestling.planner.reads.rewrites.extreme_child import latest
from nestling.planner.reads.rewrites.foreign_key_as_parent import fixed_column, is_sound, parents_of
from nestling.planner.reads.rewrites.freshness import is_fresh
from nestling.planner.reads.rewrites.links import scan_of, without_link
from nestling.planner.reads.rows import First
from nestling.planner.reads.traverse import everywhere, used


def with_newest(relation: Relation, design: Design, tolerated: Tolerated) -> tuple[Relation, Mapping[str, First]]:
    """The relation, and by alias the children of which only the first of each parent are needed."""
    wanted = Counter((column.alias, column.name) for column in (*used(relation), *relation.columns))
    asked = _Asked(design, tolerated, frozenset(wanted))
    found: dict[str, First] = {}

    def change(each: Relation) -> Relation:
        if isinstance(each, a.Filter):
            found.update(latest(each, design))
        return _with_parent(each, asked, found) if isinstance(each, a.LimitOffset) else each

    return everywhere(relation, change), found


@dataclass(frozen=True, slots=True)
class _Asked:
    design: Design
    tolerated: Tolerated
    used: frozenset[tuple[str, str]]


def first_asked(limit: a.LimitOffset) -> tuple[str, First] | None:
    """The alias of the sorted rows under a LIMIT, their order, and how many rows are needed (its count and offset together).

    None if the count is not a constant or the order is not by columns of one alias: a copy of the first rows cannot answer then.
    """
    count = rows_looked_at(limit.count, limit.offset)
    order = _order(limit.input.keys) if isinstance(limit.input, a.Sort) else None
    return (order[0], First(order[1], count)) if count is not None and order is not None else None


def _with_parent(limit: a.LimitOffset, asked: _Asked, found: dict[str, First]) -> Relation:
    told = first_asked(limit)
    if told is None or not isinstance(limit.input, a.Sort):
        return limit
    alias, first = told
    scan, predicates = scan_of(limit.input.input)
    if scan is None:
        if _is_of_one_parent(limit.input.input, alias, asked.design):
            found[alias] = first
        return limit
    for link in asked.design.model.parents_of(scan.entity):
        given = {column.name for each in predicates if (column := fixed_column(each)) is not None}
        model = asked.design.model
        if given != set(link.child_attributes) or not is_sound(link, scan, predicates, model):
            continue
        if _every_parent_holds(link, scan, first, asked):
            found[alias] = first
            parents = parents_of(scan, predicates, link, model)
            joined = inner(parents.rows, scan, parents.on)
            return a.LimitOffset(a.Sort(joined, limit.input.keys), limit.count, limit.offset)
    return limit


def inner(left: Relation, right: Relation, on: tuple[Expression, ...]) -> a.Join:
    """The inner join on all conditions."""
    return a.Join(JoinKind.INNER, left, right, conjunction(*on))


def _order(keys: tuple[SortKey, ...]) -> tuple[str, tuple[tuple[str, bool], ...]] | None:
    """The alias all keys are of, and its attributes with their direction; None for orders databases may differ in."""
    found = []
    for key in keys:
        column = key.expression
        if not isinstance(column, Column) or column.mixed or column.type.name not in ORDERED_ALIKE:
            return None
        if column.type.fraction_digits > 3 or key.nulls_first is key.descending:
            return None
        found.append((column.alias, column.name, key.descending))
    aliases = {alias for alias, _, _ in found}
    return (aliases.pop(), tuple((name, down) for _, name, down in found)) if len(aliases) == 1 else None


def _is_of_one_parent(relation: Relation, alias: str, design: Design) -> bool:
    """Whether the rows are one parent, named by its key, joined with all its children, which have that alias."""
    joined = _two(relation)
    if joined is None:
        return False
    child = next((scan for scan in joined.scans if scan.alias == alias), None)
    parent = next((scan for scan in joined.scans if scan.alias != alias), None)
    if child is None or parent is None:
        return False
    own = [each for each in joined.conditions if about(each) == {parent.alias}]
    rest = [each for each in joined.conditions if each not in own]
    names = {column.name for each in own if (column := fixed_column(each)) is not None}
    entity = design.model.entity(parent.entity)
    if not entity.is_superkey(names):
        return False
    links = [link for link in design.model.children_of(parent.entity) if link.child == child.entity]
    return any(without_link(rest, link, parent=parent.alias, child=alias) == [] for link in links)


def _two(relation: Relation) -> InnerJoins | None:
    if isinstance(relation, a.Join) and relation.kind is JoinKind.LEFT and isinstance(relation.right, a.Scan):
        left = inner_joined(relation.left)
        if left is None or len(left.scans) != 1:
            return None
        return InnerJoins((*left.scans, relation.right), (*left.conditions, *conjuncts(relation.condition)))
    found = inner_joined(relation)
    return found if found is not None and len(found.scans) == 2 else None


def _every_parent_holds(link: Relationship, scan: a.Scan, first: First, asked: _Asked) -> bool:
    wanted = {name for alias, name in asked.used if alias == scan.alias} - set(link.child_attributes)
    places = asked.design.places.get(link.parent, ())
    told = [place for place in places if place.copy is None and place.node.kind is not NodeKind.GROUP]
    return len(told) == len(places) and all(
        any(
            _is_along(copy, link)
            and wanted <= {field.attribute for field in copy.attributes}
            and suffices(copy, first, asked.design.model.entity(link.child).key)
            and is_fresh_for(copy, link.child, wanted, asked.tolerated)
            for copy in place.node.body.copies
        )
        for place in told
    )


def _is_along(copy: Copy, link: Relationship) -> bool:
    hop = copy.path[0]
    return (
        len(copy.path) == 1 and not hop.up and hop.relationship == link.name and copy.form in (Form.ARRAY, Form.OBJECT)
    )


def suffices(copy: Copy, first: First | None, key: tuple[str, ...]) -> bool:
    """Whether a copy holds all children, or the first that are needed."""
    if copy.limit is None:
        return True
    order = [(each.attribute, each.descending) for each in copy.order]
    order += [(name, False) for name in key if name not in {attribute for attribute, _ in order}]
    return first is not None and first.count <= copy.limit and list(first.order) == order[: len(first.order)]


def is_fresh_for(copy: Copy, entity: str, wanted: set[str], tolerated: Tolerated) -> bool:
    """Whether the copy may tell these attributes, its order, and how many rows there are."""
    names = {"", *wanted, *(order.attribute for order in copy.order if copy.limit is not None)}
    return all(is_fresh(copy.freshness, tolerated.behind.get((entity, name))) for name in names)
