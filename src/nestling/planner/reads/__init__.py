"""Reads on any design: a query of the algebra becomes steps over its entities' homes, which rewrites then improve.

`rewrites` change relations, `lower` turns them into steps (`scan`, `joins`, `correlate`, `subqueries`, `grouping`, `sorting`,
`set_operations`, `windows`, `recursion`), and `outputs` names the result's fields. The answer is the same without any rewrite.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from nestling.ir.design import Design
from nestling.ir.paths.work import Work
from nestling.ir.programs.compiled import ReadPlan
from nestling.ir.statements.algebra import Join, LimitOffset, Query, Relation
from nestling.ir.statements.expression import Literal, Parameter
from nestling.ir.statistics import Statistics
from nestling.ir.tolerance import Tolerated
from nestling.planner.reads.carried_fields import with_used_fields
from nestling.planner.reads.collation import with_one_collation
from nestling.planner.reads.gaps import ReadGap, read_gap
from nestling.planner.reads.lower import lower
from nestling.planner.reads.outputs import final_shape
from nestling.planner.reads.rewrites import ALL, NONE, Rewrite
from nestling.planner.reads.rewrites.case_as_pattern import with_cases_as_patterns
from nestling.planner.reads.rewrites.child_join_as_exists import with_children_asked
from nestling.planner.reads.rewrites.distinct_as_exists import with_distinct_asked
from nestling.planner.reads.rewrites.early_groups import with_early_groups
from nestling.planner.reads.rewrites.early_limits import with_early_limits
from nestling.planner.reads.rewrites.early_sums import with_early_sums
from nestling.planner.reads.rewrites.first_children import with_newest
from nestling.planner.reads.rewrites.groups_as_parents import without_groups
from nestling.planner.reads.rewrites.join_order import order_joins, other_starts
from nestling.planner.reads.rewrites.late_children import with_late_children
from nestling.planner.reads.rewrites.late_parents import with_late_parents
from nestling.planner.reads.rewrites.lists_first import with_lists_first
from nestling.planner.reads.rewrites.order_first import limited_tables, with_order_first
from nestling.planner.reads.rewrites.parent_as_foreign_key import by_foreign_key
from nestling.planner.reads.rewrites.pushdown import push_predicates
from nestling.planner.reads.rewrites.sets_first import with_set_first
from nestling.planner.reads.rewrites.unneeded_join import without_unneeded
from nestling.planner.reads.rewrites.values_first import with_values_first
from nestling.planner.reads.rewrites.windowed import with_windows
from nestling.planner.reads.rows import First, LoweringContext, VariableNames
from nestling.planner.reads.traverse import everything, everywhere, used

MOST_STARTS = 3
"""Most alternative plans that start with another table."""
MOST_SETS = 3
"""Most alternative plans that start with the values of a condition."""

__all__ = ["ALL", "NONE", "ReadGap", "Rewrite", "plan_read", "ways"]


def plan_read(
    query: Query,
    design: Design,
    *,
    rewrites: Iterable[Rewrite] = ALL,
    tolerated: Tolerated | None = None,
    statistics: Statistics | None = None,
    price: Callable[[Work], float] | None = None,
) -> ReadPlan:
    """Return the steps that yield the query's rows: one field for each output column, in order, with null for NULL.

    `rewrites`: those that may be used. `tolerated`: how old a copy may be to replace its source, by (entity, attribute), or by
    (entity, "") for a count of rows; anything else must be up to date. `statistics`: choose the table with which joins start.
    `price`: the seconds that some work takes; with it several plans are made and the cheapest is returned, otherwise only the
    first is made. Raises `ReadGap` for a query that cannot be converted.
    """
    from nestling.planner.work import estimate

    allowed = frozenset(rewrites)
    relation, collation = with_one_collation(with_cases_as_patterns(_checked(query.relation)), design)
    tolerated, statistics = tolerated or Tolerated(), statistics or Statistics()
    first, *others = ways(relation, design, allowed, tolerated, statistics, priced=price is not None)
    plans = [_planned(first, query.names, design, allowed, tolerated, statistics, price)]
    for each in others:
        with suppress(ReadGap):
            plans.append(_planned(each, query.names, design, allowed, tolerated, statistics, price))
    plans = [replace(plan, collation=collation) for plan in plans]
    made = plans[0]
    if len(plans) > 1 and price is not None:
        made = min(plans, key=lambda plan: price(estimate(plan, design, statistics)))
    columns = tuple(replace(each, typed=query.typed) for each in made.columns)
    return replace(made, columns=columns)


def ways(
    relation: Relation,
    design: Design,
    allowed: frozenset[Rewrite],
    tolerated: Tolerated,
    statistics: Statistics,
    *,
    priced: bool,
) -> Iterator[Relation]:
    """Yield the rewritten relation and, if plans are `priced`, other forms of it with the same rows.

    In other forms the joins start with a table whose rows hold copies of others; the first children of one parent are found by
    their foreign key; a join with embedded children becomes an EXISTS, as does one that only tests for a match under DISTINCT;
    the values of an EXISTS or IN, or those that a negated one excludes, are found first; or a limited order comes before
    lookups in other tables. Which is cheapest depends on the data.
    """
    joins = priced and any(isinstance(each, Join) for each in everything(relation))
    yield from _by_starts(relation, design, allowed, tolerated, statistics, several=joins)
    if joins:
        yield from _other_joins(relation, design, allowed, tolerated, statistics)
    if priced and Rewrite.SETS_FIRST in allowed:
        for each in islice(with_set_first(relation, design.model, statistics), MOST_SETS):
            yield from _by_starts(each, design, allowed, tolerated, statistics, several=True)
    if priced and Rewrite.LISTS_FIRST in allowed:
        plain = _rewritten(relation, design, allowed, tolerated, statistics)
        listed = with_lists_first(plain, design.model, statistics)
        yield from () if listed is None else (listed,)
    if priced and Rewrite.ORDER_FIRST in allowed:
        for alias in limited_tables(relation):
            ordered = with_order_first(_rewritten(relation, design, allowed, tolerated, statistics, begin=alias))
            yield from () if ordered is None else (ordered,)


def _other_joins(
    relation: Relation, design: Design, allowed: frozenset[Rewrite], tolerated: Tolerated, statistics: Statistics
) -> Iterator[Relation]:
    """Yield the relation with joins replaced by simpler conditions where these are equivalent."""
    pushed = push_predicates(relation)
    if Rewrite.FOREIGN_KEY in allowed and (found := by_foreign_key(pushed, design.model)) is not pushed:
        yield _rewritten(found, design, allowed, tolerated, statistics)
    if Rewrite.EMBEDDED_EXISTS in allowed and (asked := with_children_asked(relation, design)) is not None:
        yield _rewritten(asked, design, allowed, tolerated, statistics)
    if Rewrite.DISTINCT_EXISTS in allowed and (once := with_distinct_asked(pushed, design.model)) is not None:
        yield from ways(once, design, allowed, tolerated, statistics, priced=True)


def _by_starts(
    relation: Relation,
    design: Design,
    allowed: frozenset[Rewrite],
    tolerated: Tolerated,
    statistics: Statistics,
    *,
    several: bool,
) -> Iterator[Relation]:
    """The rewritten relation, and where `several` are asked for, with its joins begun at other tables."""
    first = _rewritten(relation, design, allowed, tolerated, statistics)
    yield first
    if several and Rewrite.JOIN_ORDER in allowed:
        for alias in other_starts(first, design)[:MOST_STARTS]:
            yield _rewritten(relation, design, allowed, tolerated, statistics, begin=alias)


def _planned(
    relation: Relation,
    names: tuple[str, ...],
    design: Design,
    allowed: frozenset[Rewrite],
    tolerated: Tolerated,
    statistics: Statistics,
    price: Callable[[Work], float] | None,
) -> ReadPlan:
    first: Mapping[str, First] = {}
    if Rewrite.LATE_CHILDREN in allowed:
        relation = with_late_children(relation, design.model)
    if Rewrite.COPIED_CHILDREN in allowed:
        relation, first = with_newest(relation, design, tolerated)
    if Rewrite.LATE_PARENTS in allowed and not first:
        relation = with_late_parents(relation, design.model)
        if Rewrite.COPIED_CHILDREN in allowed:
            relation, first = with_newest(relation, design, tolerated)
    wanted = (*used(relation), *relation.columns)
    uses = Counter((column.alias, column.name) for column in wanted)
    context = LoweringContext(
        design, uses, allowed, VariableNames(), tolerated=tolerated, first=first, statistics=statistics, price=price
    )
    try:
        made = final_shape(relation, names, lower(relation, context), context)
        return replace(made, step=with_used_fields(made.step))
    except RecursionError:
        raise read_gap("a statement that is nested this deeply") from None


def _rewritten(
    relation: Relation,
    design: Design,
    allowed: frozenset[Rewrite],
    tolerated: Tolerated,
    statistics: Statistics,
    *,
    begin: str = "",
) -> Relation:
    if Rewrite.PUSHDOWN in allowed:
        relation = push_predicates(relation)
    if Rewrite.UNNEEDED_JOIN in allowed:
        relation = without_unneeded(relation, design)
    if Rewrite.COMPUTED in allowed:
        relation = without_groups(relation, design, tolerated)
    if Rewrite.EARLY_LIMITS in allowed:
        relation = with_early_limits(relation, design.model)
    if Rewrite.WINDOWED in allowed:
        relation = with_windows(relation, design.model)
    if Rewrite.JOIN_ORDER in allowed:
        relation = order_joins(relation, design, statistics, begin=begin)
    if Rewrite.EARLY_GROUPS in allowed:
        relation = with_early_groups(relation, design, statistics)
    if Rewrite.EARLY_SUMS in allowed:
        relation = with_early_sums(relation, design, statistics)
    if Rewrite.VALUES_FIRST in allowed:
        relation = with_values_first(relation)
    return relation


def _checked(relation: Relation) -> Relation:
    """Refuse what no step can express, before anything is made of it."""

    def check(each: Relation) -> Relation:
        for bound in (each.count, each.offset) if isinstance(each, LimitOffset) else ():
            if bound is not None and not isinstance(bound, Literal | Parameter):
                raise read_gap("LIMIT or OFFSET by an expression")
        return each

    return everywhere(relation, check)
