"""Reads on any design: a query of the algebra becomes steps over its entities' homes, which rewrites then improve.

`rewrites` change relations, `lower` turns them into steps (`scan`, `joins`, `correlate`, `subqueries`, `grouping`, `sorting`,
`set_operations`, `windows`, `recursion`), and `outputs` names the result's fields. The answer is the same without any rewrite.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace

from nestling.ir.design import Design
from nestling.ir.paths.work import Work
from nestling.ir.programs.compiled import ReadPlan
from nestling.ir.statements.algebra import LimitOffset, Query, Relation
from nestling.ir.statements.expression import Literal, Parameter
from nestling.ir.statements.operators import Collation
from nestling.ir.statistics import Statistics
from nestling.ir.tolerance import Tolerated
from nestling.planner.reads.carried_fields import with_used_fields
from nestling.planner.reads.collation import collated
from nestling.planner.reads.gaps import ReadGap, read_gap
from nestling.planner.reads.lower import lower
from nestling.planner.reads.outputs import final_shape
from nestling.planner.reads.rewrites import ALL_REWRITES, NO_REWRITES, Rewrite
from nestling.planner.reads.rewrites.case_as_pattern import with_cases_as_patterns
from nestling.planner.reads.rewrites.first_children import with_newest
from nestling.planner.reads.rewrites.late_children import with_late_children
from nestling.planner.reads.rewrites.late_parents import with_late_parents
from nestling.planner.reads.rows import First, LoweringContext, VariableNames
from nestling.planner.reads.traverse import everywhere, used
from nestling.planner.reads.ways import ways

__all__ = ["ALL_REWRITES", "NO_REWRITES", "ReadGap", "Rewrite", "plan_read", "ways"]


def plan_read(
    query: Query,
    design: Design,
    *,
    rewrites: Iterable[Rewrite] = ALL_REWRITES,
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
    tolerated, statistics = tolerated or Tolerated(), statistics or Statistics()
    (first, collation), *others = (
        (each, collation)
        for relation, collation in collated(with_cases_as_patterns(_checked(query.relation)), design)
        for each in ways(relation, design, allowed, tolerated, statistics, priced=price is not None)
    )
    plans = [_planned(first, query.names, design, allowed, tolerated, statistics, price, collation)]
    for each, collation in others if price is not None else ():
        with suppress(ReadGap):
            plans.append(_planned(each, query.names, design, allowed, tolerated, statistics, price, collation))
    made = plans[0]
    if len(plans) > 1 and price is not None:
        made = min(plans, key=lambda plan: price(estimate(plan, design, statistics)))
    columns = tuple(replace(each, typed=query.typed) for each in made.columns)
    return replace(made, columns=columns)


def _planned(
    relation: Relation,
    names: tuple[str, ...],
    design: Design,
    allowed: frozenset[Rewrite],
    tolerated: Tolerated,
    statistics: Statistics,
    price: Callable[[Work], float] | None,
    collation: Collation,
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
        return replace(made, step=with_used_fields(made.step), collation=collation)
    except RecursionError:
        raise read_gap("a statement that is nested this deeply") from None


def _checked(relation: Relation) -> Relation:
    """Refuse what no step can express, before anything is made of it."""

    def check(each: Relation) -> Relation:
        for bound in (each.count, each.offset) if isinstance(each, LimitOffset) else ():
            if bound is not None and not isinstance(bound, Literal | Parameter):
                raise read_gap("LIMIT or OFFSET by an expression")
        return each

    return everywhere(relation, check)
