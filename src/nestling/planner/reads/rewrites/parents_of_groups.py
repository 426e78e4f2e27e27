"""What a group can be made without: parents that are joined by their key, of which nothing but what names the groups is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from nestling.ir.design import Design
from nestling.ir.free_names import free_name
from nestling.ir.paths.row_steps import ColumnId
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import AggregateFunction, JoinKind, Named, Relation
from nestling.ir.statements.expression import Column, Compare, Expression
from nestling.ir.statements.operands import conjunction, has_subquery
from nestling.ir.statements.operators import Collation, Comparison
from nestling.ir.storage.layout import NodeKind
from nestling.planner.reads.rewrites.conjuncts import about, restricted
from nestling.planner.reads.rewrites.join_order import cross_product, inner_leaves
from nestling.planner.reads.rewrites.links import keys_of, scan_of
from nestling.planner.reads.traverse import expressions, mentioned, rewritten

ColumnNames: TypeAlias = dict[ColumnId, Column]


@dataclass(frozen=True, slots=True)
class JoinedParent:
    """A table that is joined by its key with columns of the other rows: each meets one at most, `total`: exactly one."""

    scan: a.Scan
    pairs: tuple[tuple[Column, Column], ...]
    total: bool


MayRemove: TypeAlias = Callable[[JoinedParent, list[Relation], list[Expression]], bool]
"""Whether a group may be made without a parent of these tables, under these conditions."""


@dataclass(frozen=True, slots=True)
class GroupSplit:
    """What is left of a group without parents, these in the order they are joined, and what its columns are called then."""

    group: a.GroupBy
    parents: tuple[JoinedParent, ...]
    names: ColumnNames


def split_off(group: a.GroupBy, design: Design, may: MayRemove) -> GroupSplit | None:
    """The group without the parents it can do without and that `may` be, of these tables under these conditions, left out."""
    leaves, conditions = inner_leaves(group.input)
    plain = all(rule is Collation.BINARY for rule in group.collations)
    columns = [key.expression for key in group.keys]
    if len(leaves) < 2 or not plain or any(map(has_subquery, [*conditions, *columns])):
        return None
    found, _, _ = _removed(leaves, conditions, group, design, may)
    sparing = _sparing(found, group, leaves, design)
    parents, leaves, conditions = _removed(
        leaves, conditions, group, design, lambda parent, *rows: parent.scan.alias in sparing and may(parent, *rows)
    )
    return _without_parents(group, leaves, conditions, tuple(reversed(parents))) if parents else None


def _removed(
    leaves: list[Relation], conditions: list[Expression], group: a.GroupBy, design: Design, may: MayRemove
) -> tuple[list[JoinedParent], list[Relation], list[Expression]]:
    """The parents that can go, one after the other, and the tables and conditions that are left without them."""
    parents: list[JoinedParent] = []
    while (found := _removable(leaves, conditions, group, design, may)) is not None:
        parents.append(found)
        leaves = [leaf for leaf in leaves if leaf is not found.scan]
        conditions = _without(found, conditions)
    return parents, leaves, conditions


def _sparing(parents: list[JoinedParent], group: a.GroupBy, leaves: list[Relation], design: Design) -> set[str]:
    """The aliases of parents whose late join saves a lookup: those not at hand, or whose child is one of these."""
    found = {each.scan.alias for each in parents if not _is_at_hand(each, group, leaves, design)}
    for each in reversed(parents):  # a child goes after its parents
        if each.pairs[0][1].alias in found:
            found.add(each.scan.alias)
    return found


def _removable(
    leaves: list[Relation],
    conditions: list[Expression],
    group: a.GroupBy,
    design: Design,
    may: MayRemove,
) -> JoinedParent | None:
    for leaf in leaves:
        parent = _parent_of(leaf, conditions, leaves, design) if isinstance(leaf, a.Scan) else None
        if parent is None or len(leaves) < 2 or not may(parent, leaves, conditions):
            continue
        if _only_named(parent.scan.alias, group):
            return parent
    return None


def interchangeable(condition: Expression) -> tuple[Column, Column] | None:
    """The columns it says are equal, where equal ones are also one group."""
    match condition:
        case Compare(Comparison.EQUAL, Column() as one, Column() as other, collation=Collation.BINARY):
            alike = one.type == other.type and not one.mixed and not other.mixed
            return (one, other) if alike else None
        case _:
            return None


def scans(leaves: Iterable[Relation]) -> list[a.Scan]:
    """The tables among them."""
    return [scan for leaf in leaves if (scan := scan_of(leaf)[0]) is not None]


def _parent_of(
    scan: a.Scan, conditions: list[Expression], leaves: list[Relation], design: Design
) -> JoinedParent | None:
    """The table as a parent of one other, if every condition that mentions it is about its key alone."""
    asking = [each for each in conditions if scan.alias in about(each)]
    pairs = [interchangeable(each) for each in asking]
    if any(pair is None for pair in pairs):
        return None
    oriented = [(one, other) if one.alias == scan.alias else (other, one) for one, other in filter(None, pairs)]
    for key in keys_of(scan, design.model.entity(scan.entity)):
        if any(one not in key for one, _ in oriented):
            continue
        for child in (each for each in scans(leaves) if each is not scan):
            found = {one: other for one, other in oriented if other.alias == child.alias}
            if len(found) == len(key):
                return JoinedParent(scan, tuple(found.items()), _is_total(found, scan, child, design))
    return None


def _is_total(pairs: dict[Column, Column], parent: a.Scan, child: a.Scan, design: Design) -> bool:
    wanted = {one.name: other.name for one, other in pairs.items()}
    return any(
        link.parent == parent.entity
        and dict(zip(link.parent_attributes, link.child_attributes, strict=True)) == wanted
        and design.model.is_total(link)
        for link in design.model.parents_of(child.entity)
    )


def _only_named(alias: str, group: a.GroupBy) -> bool:
    """Whether the table is mentioned by keys that are its columns alone, and by values any row of the group has."""
    keys = [key.expression for key in group.keys if alias in about(key.expression)]
    asked = [item.aggregate for item in group.aggregates if alias in _mentions(item)]
    return all(isinstance(each, Column) for each in keys) and all(
        each.function is AggregateFunction.ANY_VALUE
        and isinstance(each.argument, Column)
        and each.at is None
        and each.filter is None
        for each in asked
    )


def _mentions(item: a.NamedAggregate) -> frozenset[str]:
    """The aliases an aggregate asks about."""
    return frozenset[str]().union(*map(about, expressions(item)))


def _is_at_hand(parent: JoinedParent, group: a.GroupBy, leaves: Iterable[Relation], design: Design) -> bool:
    """Whether the child's documents hold all that the group asks of the parent, or lie in it: then no lookup is spared."""
    child, alias = parent.pairs[0][1].alias, parent.scan.alias
    asked = {column.name for each in expressions(group) for column in mentioned(each) if column.alias == alias}
    asked -= {one.name for one, _ in parent.pairs}
    entities = {scan.entity for scan in scans(leaves) if scan.alias == child}
    links = {each.name for each in design.model.relationships if each.parent == parent.scan.entity}
    for place in (place for entity in entities for place in design.places.get(entity, ())):
        node = place.node
        if node.embedding is not None and node.embedding.relationship in links:
            return True
        copies = node.body.copies if node.kind is not NodeKind.GROUP else ()
        near = (copy for copy in copies if len(copy.path) == 1 and copy.path[0].relationship in links)
        if any(asked <= {each.attribute for each in copy.attributes} for copy in near):
            return True
    return False


def _without(parent: JoinedParent, conditions: list[Expression]) -> list[Expression]:
    """The conditions said of the child's columns instead of the parent's key, but for those that link the two."""
    same = {_id(one): other for one, other in parent.pairs}
    linked = {Compare(Comparison.EQUAL, other, other) for _, other in parent.pairs}
    return [each for each in dict.fromkeys(replaced(each, same) for each in conditions) if each not in linked]


def _id(column: Column) -> ColumnId:
    return column.alias, column.name


def replaced(expression: Expression, names: Mapping[ColumnId, Expression]) -> Expression:
    """The expression, columns by their new names."""
    return rewritten(expression, lambda each: names.get(_id(each)) if isinstance(each, Column) else None)


def _without_parents(
    group: a.GroupBy, leaves: list[Relation], conditions: list[Expression], parents: tuple[JoinedParent, ...]
) -> GroupSplit:
    gone = {parent.scan.alias for parent in parents}
    alias = f"{group.alias} early"
    kept = [key for key in group.keys if not about(key.expression) & gone]
    owned = dict.fromkeys(own for parent in parents for _, own in parent.pairs if own.alias not in gone)
    held: dict[Expression, str] = {key.expression: key.name for key in kept}
    taken = {key.name for key in group.keys} | {item.name for item in group.aggregates}
    for own in owned:
        if own not in held:
            held[own] = free_name(own.name, taken)
            taken.add(held[own])
            kept.append(Named(held[own], own, own.mixed))
    aggregates = tuple(item for item in group.aggregates if not _mentions(item) & gone)
    found = a.GroupBy(restricted(cross_product(leaves), conditions), alias, tuple(kept), aggregates)
    made = {column.name: column for column in found.columns}
    grouped = {own: made[held[own]] for own in owned}
    renamed = tuple(
        replace(each, pairs=tuple((one, grouped.get(other, other)) for one, other in each.pairs)) for each in parents
    )
    names: ColumnNames = {}
    for column, said in zip(group.columns, _group_columns(group), strict=True):
        names[_id(column)] = said if said is not None and said.alias in gone else made[column.name]
    return GroupSplit(found, renamed, names)


def _group_columns(group: a.GroupBy) -> Iterator[Column | None]:
    """The column each of a group's columns is, None where it is computed."""
    for key in group.keys:
        yield key.expression if isinstance(key.expression, Column) else None
    for item in group.aggregates:
        argument = item.aggregate.argument
        is_any = item.aggregate.function is AggregateFunction.ANY_VALUE
        yield argument if is_any and isinstance(argument, Column) else None


def joined_with(rows: Relation, parent: JoinedParent) -> Relation:
    """The rows, each with its parent."""
    condition = conjunction(*(Compare(Comparison.EQUAL, one, other) for one, other in parent.pairs))
    return a.Join(JoinKind.INNER, rows, parent.scan, condition)
