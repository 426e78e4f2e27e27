"""DISTINCT and DISTINCT ON: rows once, and what they can still be sorted by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nestling.ir.statements.algebra import (
    WHOLE_PARTITION,
    AggregateCall,
    AggregateFunction,
    Filter,
    GroupBy,
    Named,
    NamedAggregate,
    Project,
    Relation,
    SortKey,
    Window,
    WindowFunction,
    WindowOnly,
)
from nestling.ir.statements.expression import Compare, Expression, Literal
from nestling.ir.statements.operands import columns_of
from nestling.ir.statements.operators import Collation, Comparison
from nestling.ir.types import INTEGER
from nestling.planner.sql.collations import rules_of
from nestling.planner.sql.postgresql.enums import ranked, unranked
from nestling.planner.sql.postgresql.infinite_moments import placed, unplaced
from nestling.planner.sql.scope import SelectWindows, Translation


def first_of_each(
    relation: Relation, keys: Sequence[SortKey], order: Sequence[SortKey], translation: Translation
) -> Relation:
    """DISTINCT ON: the first row, in order, of those with equal keys."""
    terms = tuple(key.expression for key in keys)
    rules = rules_of([key.collation for key in keys])
    number = WindowFunction(
        WindowOnly.ROW_NUMBER, (), INTEGER, terms, tuple(order), WHOLE_PARTITION, partition_collations=rules
    )
    windows = SelectWindows(translation.alias("firsts"), {})
    place = windows.add(number)
    numbered = Window(relation, windows.alias, tuple(windows.functions))
    return Filter(numbered, Compare(Comparison.EQUAL, place, Literal(1, INTEGER)))


def in_columns(order: Sequence[SortKey], project: Project, translation: Translation) -> list[SortKey] | None:
    """The keys in terms of the outputs' columns; None if one of them is not an output."""
    columns: dict[Expression, Expression] = {}
    for item, column in zip(project.outputs, project.columns, strict=True):
        columns.setdefault(item.expression, column)
    found = []
    for key in order:
        value = unplaced(unranked(key.expression))
        if value not in columns and any(columns_of(value)):
            return None
        held = columns.get(value, value)
        ranks = value is not key.expression
        ordered = placed(ranked(held, held.type.values), translation) if ranks else held
        found.append(replace(key, expression=ordered))
    return found


def once_each(
    project: Project, order: Sequence[SortKey], rules: Sequence[Collation], translation: Translation
) -> tuple[GroupBy, list[SortKey], tuple[Named, ...]]:
    """Each row once with what it is sorted by, taken from any of the equal ones; the keys, and the outputs again."""
    extras = tuple(
        NamedAggregate(f"order_{n}", AggregateCall(AggregateFunction.ANY_VALUE, key.expression, key.expression.type))
        for n, key in enumerate(order)
    )
    named = project.outputs
    collations = tuple(rules) or (Collation.BINARY,) * len(named)
    once = GroupBy(project.input, translation.alias("once"), named, extras, collations)
    keys = [replace(key, expression=column) for key, column in zip(order, once.columns[len(named) :], strict=True)]
    outputs = tuple(Named(item.name, column, item.mixed) for item, column in zip(named, once.columns, strict=False))
    return once, keys, outputs
