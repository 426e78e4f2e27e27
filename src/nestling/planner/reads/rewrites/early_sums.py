"""Rows are summed up by their foreign key before they meet the parents that only name the groups: the sums are summed then.

`SELECT c.country, SUM(o.total) … GROUP BY c.country` groups orders by customer first, so that each customer is looked up once.
That is the same where no aggregate asks about the parent and each can be made of parts: counts, exact sums, least and greatest.
Done where the statistics say that there are few enough groups of each parent's rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from nestling.ir.design import Design
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import AggregateFunction, Named, Relation
from nestling.ir.statements.expression import Column, Expression
from nestling.ir.statements.operands import has_subquery, is_integer
from nestling.ir.statements.operators import Collation
from nestling.ir.statistics import Statistics
from nestling.ir.types import EXACT_NUMBERS
from nestling.planner.reads.rewrites.join_order import inner_leaves, order_joins
from nestling.planner.reads.rewrites.parents_of_groups import GroupSplit, joined_with, replaced, scans, split_off
from nestling.planner.reads.rewrites.pushdown import push_predicates
from nestling.planner.reads.rewrites.rows_left import rows_left
from nestling.planner.reads.traverse import everywhere, expressions, mapped

FEWER = 2.0
"""Rows for each group from which on it is done; a group costs little beside a lookup (chosen, not measured)."""
COMPUTED_VALUES = 10.0
"""Different values of a key that is computed, such as a year (a guess)."""
_AGAIN = {
    AggregateFunction.COUNT: AggregateFunction.SUM,
    AggregateFunction.SUM: AggregateFunction.SUM,
    AggregateFunction.MIN: AggregateFunction.MIN,
    AggregateFunction.MAX: AggregateFunction.MAX,
}


def with_early_sums(relation: Relation, design: Design, statistics: Statistics) -> Relation:
    """The relation with partial sums before the joins with parents, where possible."""
    return everywhere(relation, lambda each: _early(each, design, statistics) if isinstance(each, a.GroupBy) else each)


def _early(group: a.GroupBy, design: Design, statistics: Statistics) -> Relation:
    if not group.keys or not all(map(_is_of_parts, group.aggregates)):
        return group
    split = split_off(_of_inputs(group), design, lambda *_: True)
    if split is None or not _are_few(split, design, statistics):
        return group
    rows: Relation = replace(split.group, input=order_joins(push_predicates(split.group.input), design, statistics))
    for parent in split.parents:
        rows = joined_with(rows, parent)
    keys = tuple(Named(key.name, split.names[group.alias, key.name], key.mixed) for key in group.keys)
    return replace(
        group, input=rows, keys=keys, aggregates=tuple(_again(each, group, split) for each in group.aggregates)
    )


def _is_of_parts(item: a.NamedAggregate) -> bool:
    made = item.aggregate
    exact = made.function is not AggregateFunction.SUM or made.type.name in EXACT_NUMBERS
    plain = not made.distinct and made.collation is Collation.BINARY and not item.mixed
    return made.function in _AGAIN and exact and plain and not any(map(has_subquery, expressions(item)))


def _again(item: a.NamedAggregate, group: a.GroupBy, split: GroupSplit) -> a.NamedAggregate:
    """The aggregate of its parts; parts of an integer sum are integers, whose sum must not pass 64 bits."""
    made = item.aggregate
    part = split.names[group.alias, item.name]
    if made.argument is not None and is_integer(made.argument):
        part = replace(part, type=made.argument.type)
    return replace(item, aggregate=a.AggregateCall(_AGAIN[made.function], part, made.type))


def _of_inputs(group: a.GroupBy) -> a.GroupBy:
    """The group, said of what the outputs below it are made of."""
    below = group.input
    if not isinstance(below, a.Project) or any(out.mixed or has_subquery(out.expression) for out in below.outputs):
        return group
    made = {(below.alias, out.name): out.expression for out in below.outputs}
    return mapped(replace(group, input=below.input), lambda each: replaced(each, made))


def _are_few(split: GroupSplit, design: Design, statistics: Statistics) -> bool:
    leaves, _ = inner_leaves(split.group.input)
    left = [rows_left(leaf, design.model, statistics) for leaf in leaves]
    values = [_values(key.expression, leaves, statistics) for key in split.group.keys]
    known = [each for each in left if each is not None]
    numbers = [each for each in values if each is not None]
    if len(known) < len(left) or len(numbers) < len(values):
        return False
    most = max(known, key=lambda each: each.rows)
    rows = most.rows * prod(each.share for each in known if each is not most)
    return prod(numbers) * FEWER <= rows


def _values(key: Expression, leaves: Sequence[Relation], statistics: Statistics) -> float | None:
    """How many different values a key has; None where that is not known."""
    if not isinstance(key, Column):
        return COMPUTED_VALUES
    tables = [scan for scan in scans(leaves) if scan.alias == key.alias]
    distinct = statistics.entity(tables[0].entity).attribute(key.name).distinct if tables else None
    return None if distinct is None else distinct.value
