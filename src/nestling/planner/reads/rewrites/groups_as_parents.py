"""GROUP BY of a parent's key over its children is one row a parent: with subqueries that computed fields answer, no group at all.

Three forms come to it: a parent joined with children and grouped by its key; children alone grouped by their foreign key; and
children of the one parent a foreign key names. The last two where every child has its parent. Only where every aggregate is
held by every place of the parent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from nestling.ir.design import Design
from nestling.ir.primitives import Computed
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import AggregateCall, AggregateFunction, JoinKind, Named, NamedAggregate, Relation
from nestling.ir.statements.expression import Case, Column, Compare, Expression, Literal, ScalarSubquery
from nestling.ir.statements.operands import conjuncts, has_subquery
from nestling.ir.statements.operators import Collation, Comparison
from nestling.ir.storage.layout import NodeKind
from nestling.ir.tolerance import Tolerated
from nestling.ir.types import INTEGER
from nestling.planner.reads.rewrites.computed import InnerJoins, computed_for, inner_joined, or_zero, parts, to_the_row
from nestling.planner.reads.rewrites.conjuncts import about, restricted
from nestling.planner.reads.rewrites.foreign_key_as_parent import Parents, fixed_column, is_sound, parents_of, to_parent
from nestling.planner.reads.rewrites.join_order import cross_product
from nestling.planner.reads.rewrites.links import scan_of
from nestling.planner.reads.traverse import everywhere

_ROWS = AggregateCall(AggregateFunction.COUNT, None, INTEGER)


def without_groups(relation: Relation, design: Design, tolerated: Tolerated) -> Relation:
    """The relation without the groups that computed fields make unnecessary."""
    known = _Known(design, tolerated)
    return everywhere(relation, lambda each: _without(each, known) if isinstance(each, a.GroupBy) else each)


@dataclass(frozen=True, slots=True)
class _Known:
    design: Design
    tolerated: Tolerated

    def bodies(self, entity: str) -> list[tuple[Computed, ...]]:
        """The computed fields of each place of an entity."""
        places = self.design.places.get(entity, ())
        told = [place for place in places if place.copy is None and place.node.kind is not NodeKind.GROUP]
        return [place.node.body.computed for place in told] if len(told) == len(places) else [()]

    def holds(self, parent: a.Scan, children: InnerJoins, aggregate: AggregateCall) -> bool:
        """Whether every place of the parent holds the aggregate."""
        model = self.design.model
        asked = parts(aggregate)
        tolerated = self.tolerated if asked == (aggregate,) else to_the_row(self.tolerated)
        return all(
            computed_for(computed, children, parent.alias, part, model, tolerated) is not None
            for computed in self.bodies(parent.entity)
            for part in asked
        )


@dataclass(frozen=True, slots=True)
class _Grouped:
    """A parent's rows, each with the children that are aggregated; `lonely`: those without children count as one row."""

    parent: Relation
    scan: a.Scan
    children: InnerJoins
    lonely: bool


def _without(group: a.GroupBy, known: _Known) -> Relation:
    if any(rule is not Collation.BINARY for rule in group.collations):
        return group
    if group.keys:
        return _by_parent(group, known) or _by_foreign_key(group, known) or group
    return _of_one_parent(group, known) or group


# --- parents joined with their children -----------------------------------------------------------------------------------


def _by_parent(group: a.GroupBy, known: _Known) -> Relation | None:
    keys = {key.expression for key in group.keys}
    aliases = {each.alias for each in keys if isinstance(each, Column)}
    if len(aliases) != 1 or not all(isinstance(each, Column) for each in keys):
        return None
    names = {each.name for each in keys if isinstance(each, Column)}
    grouped = _sides(group.input, aliases.pop())
    if grouped is None or not _is_whole_key(names, grouped.scan.entity, known.design):
        return None
    return _one_row_each(group, grouped, known)


def _is_whole_key(names: set[str], entity: str, design: Design) -> bool:
    found = design.model.entity(entity)
    keys = (key for key in found.unique_groups if all(map(found.always_has, key)))
    return any(names.issuperset(key) for key in keys)


def _sides(relation: Relation, alias: str) -> _Grouped | None:
    """The parent of that alias and what it is joined with."""
    if isinstance(relation, a.Join) and relation.kind is JoinKind.LEFT:
        scan, _ = scan_of(relation.left)
        right = inner_joined(relation.right)
        if scan is None or scan.alias != alias or right is None:
            return None
        children = InnerJoins(right.scans, (*right.conditions, *conjuncts(relation.condition)))
        return _Grouped(relation.left, scan, children, lonely=True)
    inner = inner_joined(relation)
    scan = next((each for each in inner.scans if each.alias == alias), None) if inner is not None else None
    if inner is None or scan is None:
        return None
    own = [each for each in inner.conditions if about(each) == {alias} and not has_subquery(each)]
    others = tuple(each for each in inner.conditions if each not in own)
    rest = tuple(each for each in inner.scans if each is not scan)
    return _Grouped(restricted(scan, own), scan, InnerJoins(rest, others), lonely=False)


def _one_row_each(group: a.GroupBy, grouped: _Grouped, known: _Known) -> Relation | None:
    wanted = [item for item in group.aggregates if not _is_of_parent(item.aggregate, grouped.scan)]
    asked = [item.aggregate for item in wanted] + ([] if grouped.lonely else [_ROWS])
    if not grouped.children.scans or not all(known.holds(grouped.scan, grouped.children, each) for each in asked):
        return None
    outputs = [Named(key.name, key.expression, key.mixed) for key in group.keys]
    outputs += [Named(item.name, _value(item.aggregate, group, grouped), item.mixed) for item in group.aggregates]
    parent = grouped.parent
    if not grouped.lonely:
        some = Compare(Comparison.GREATER, _subquery(_ROWS, group, grouped), Literal(0, INTEGER))
        parent = restricted(parent, [some])
    return a.Project(parent, group.alias, tuple(outputs))


def _is_of_parent(aggregate: AggregateCall, scan: a.Scan) -> bool:
    """Whether it is a value of the parent's own row, of which a group has one."""
    argument = aggregate.argument
    any_value = aggregate.function is AggregateFunction.ANY_VALUE and aggregate.filter is None
    return any_value and isinstance(argument, Column) and argument.alias == scan.alias


def _value(aggregate: AggregateCall, group: a.GroupBy, grouped: _Grouped) -> Expression:
    if _is_of_parent(aggregate, grouped.scan):
        return cast(Expression, aggregate.argument)
    found = _subquery(aggregate, group, grouped)
    if grouped.lonely and aggregate.argument is None:
        none = Compare(Comparison.EQUAL, found, Literal(0, INTEGER))
        return Case(((none, Literal(1, INTEGER)),), found, INTEGER)
    return found


def _subquery(aggregate: AggregateCall, group: a.GroupBy, grouped: _Grouped) -> ScalarSubquery:
    rows = restricted(cross_product(grouped.children.scans), grouped.children.conditions)
    name = next((item.name for item in group.aggregates if item.aggregate == aggregate), "rows")
    inner = a.GroupBy(rows, f"{group.alias} of one", (), (NamedAggregate(f"{name} of one", aggregate),))
    return ScalarSubquery(inner, aggregate.type)


# --- children alone -------------------------------------------------------------------------------------------------------


def _by_foreign_key(group: a.GroupBy, known: _Known) -> Relation | None:
    """Grouped by exactly the attributes that refer to the parent."""
    scan, predicates = scan_of(group.input)
    names = [key.expression.name for key in group.keys if isinstance(key.expression, Column)]
    if scan is None or len(names) != len(group.keys) or len(set(names)) != len(names):
        return None
    for link in known.design.model.parents_of(scan.entity):
        if set(link.child_attributes) == set(names) and is_sound(link, scan, predicates, known.design.model):
            grouped = _grouped(scan, parents_of(scan, predicates, link, known.design.model))
            keys = tuple(
                replace(key, expression=to_parent(key.expression, scan, link, known.design.model)) for key in group.keys
            )
            found = _one_row_each(replace(group, keys=keys), grouped, known)
            if found is not None:
                return found
    return None


def _of_one_parent(group: a.GroupBy, known: _Known) -> Relation | None:
    """Aggregates over the children whose foreign key has one value: those of one parent, or of none."""
    scan, predicates = scan_of(group.input)
    if scan is None or not predicates or not group.aggregates:
        return None
    for link in known.design.model.parents_of(scan.entity):
        given = {column.name for each in predicates if (column := fixed_column(each)) is not None}
        if given != set(link.child_attributes) or not is_sound(link, scan, predicates, known.design.model):
            continue
        grouped = replace(_grouped(scan, parents_of(scan, predicates, link, known.design.model)), lonely=True)
        if not all(known.holds(grouped.scan, grouped.children, item.aggregate) for item in group.aggregates):
            continue
        named = tuple(Named(item.name, _subquery(item.aggregate, group, grouped)) for item in group.aggregates)
        return _at_most_one(group, a.Project(grouped.parent, f"{group.alias} in parent", named))
    return None


def _grouped(scan: a.Scan, parents: Parents) -> _Grouped:
    return _Grouped(parents.rows, parents.scan, InnerJoins((scan,), parents.on), lonely=False)


def _at_most_one(group: a.GroupBy, rows: a.Project) -> Relation:
    """The row there may be, else that of no children: an extreme of one value is that value."""
    aggregates = tuple(
        NamedAggregate(column.name, AggregateCall(AggregateFunction.MAX, column, column.type))
        for column in rows.columns
    )
    whole = a.GroupBy(rows, f"{group.alias} or none", (), aggregates)
    outputs = tuple(
        Named(item.name, or_zero(column) if item.aggregate.function is AggregateFunction.COUNT else column, item.mixed)
        for item, column in zip(group.aggregates, whole.columns, strict=True)
    )
    return a.Project(whole, group.alias, outputs)
