"""One value of children inside their parent's document, their sum or the latest of them: made of the array they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from nestling.ir.paths.row_steps import AggregateElements, Layout
from nestling.ir.statements.algebra import (
    SPREAD,
    AggregateCall,
    AggregateFunction,
    GroupBy,
    LimitOffset,
    Project,
    Relation,
    Sort,
    SortKey,
)
from nestling.ir.statements.expression import Column, Expression, IsNull, Literal, Not
from nestling.ir.statements.operands import conjunction, has_subquery, nullable
from nestling.ir.types import TypeName
from nestling.planner.reads.rewrites import Rewrite
from nestling.planner.reads.rewrites.embedded_exists import Elements
from nestling.planner.reads.rewrites.pushdown import push_predicates
from nestling.planner.reads.rows import Lowered, LoweringContext
from nestling.planner.reads.traverse import rewritten

_OF_ALL = frozenset({AggregateFunction.COUNT, AggregateFunction.CONCAT})
"""Aggregates whose operators on arrays do not leave out NULLs as SQL does."""


_Find = Callable[[Lowered, Relation, LoweringContext], Elements | None]


def value_of_elements(
    rows: Lowered, relation: Relation, context: LoweringContext, find: _Find
) -> tuple[Expression, Lowered] | None:
    """The value of a relation that gives one row, or none, which is NULL; and the rows with what it is made of.

    None where no array that `find` gives holds what the relation is about: one in each row's document, or one that is looked up.
    """
    if not context.may(Rewrite.EMBEDDED_VALUE):
        return None
    shown = relation.outputs[0].expression if isinstance(relation, Project) else relation.columns[0]
    below = relation.input if isinstance(relation, Project) else relation
    if isinstance(below, GroupBy):
        aggregates = [(column, each.aggregate) for column, each in zip(below.columns, below.aggregates, strict=False)]
        return _made(shown, aggregates, below.input, rows, context, find) if not below.keys else None
    if not isinstance(relation, Project) or not _is_first(below):
        return None
    keys: tuple[SortKey, ...] = ()
    if isinstance(below, LimitOffset):
        below = below.input
    if isinstance(below, Sort):
        keys, below = below.keys, below.input
    value = replace(relation.columns[0], nullable=True)
    first = AggregateCall(AggregateFunction.ANY_VALUE, shown, shown.type, order=keys)
    return _made(value, [(value, first)], below, rows, context, find)


def _is_first(relation: Relation) -> bool:
    """Whether it is no other part of the rows than the first."""
    if not isinstance(relation, LimitOffset):
        return True
    return relation.offset is None and isinstance(relation.count, Literal) and relation.count.value == 1


def _made(
    shown: Expression,
    aggregates: Sequence[tuple[Column, AggregateCall]],
    relation: Relation,
    rows: Lowered,
    context: LoweringContext,
    find: _Find,
) -> tuple[Expression, Lowered] | None:
    """What is shown of aggregates, each in a field of its own."""
    mentioned = [shown, *(part for _, each in aggregates for part in _parts(each))]
    if any(map(has_subquery, mentioned)) or not all(_is_plain(each) for _, each in aggregates):
        return None
    found = find(rows, push_predicates(relation) if context.may(Rewrite.PUSHDOWN) else relation, context)
    if found is None:
        return None
    rows = replace(rows, step=found.seen.step, taken=found.seen.taken)
    made: dict[Expression, Column] = {}
    layout = context.seen(found.seen.layout)
    for column, each in aggregates:
        name = rows.fresh(column.name)
        aggregate, asked = _of_elements(each)
        step = AggregateElements(rows.step, name, found.array, aggregate, conjunction(*found.asked, *asked), layout)
        made[column] = replace(column, alias="", name=f"{column.name} {name}")
        entry = Layout((((made[column].alias, made[column].name), name),))
        rows = Lowered(step, rows.layout | entry, rows.taken | {name}, rows.standing)
    return rewritten(shown, made.get), rows


def _parts(aggregate: AggregateCall) -> Iterable[Expression]:
    parts = (aggregate.argument, aggregate.filter, aggregate.separator, *(key.expression for key in aggregate.order))
    return (each for each in parts if each is not None)


def _is_plain(aggregate: AggregateCall) -> bool:
    """Whether it is of no other row than it says, and made of numbers an array tells at once."""
    if aggregate.function in SPREAD or aggregate.share is not None:
        return False
    return aggregate.at is None and not (aggregate.filter and aggregate.function is AggregateFunction.ANY_VALUE)


def _of_elements(aggregate: AggregateCall) -> tuple[AggregateCall, list[Expression]]:
    """The aggregate of all elements that are left, and what is asked of them before."""
    asked = [aggregate.filter] if aggregate.filter is not None else []
    kept, argument = replace(aggregate, filter=None), aggregate.argument
    is_exact = aggregate.function is AggregateFunction.AVG and aggregate.type.name is TypeName.DECIMAL
    if argument is None or not nullable(argument) or aggregate.function is AggregateFunction.LIST:
        return kept, asked
    if aggregate.distinct or is_exact or aggregate.function in _OF_ALL:
        asked.append(Not(IsNull(argument)))
        argument = replace(argument, nullable=False) if isinstance(argument, Column) else argument
    return replace(kept, argument=argument), asked
