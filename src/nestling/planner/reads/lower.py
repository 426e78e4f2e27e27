"""Turns relations into steps: each operator of the algebra over the home views, correct on any design.

A row is a document, and a column a path in it; an output that is already a column needs no step. Operators that create new
documents (grouping, set operations) start a new layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import assert_never

from nestling.ir.paths.access_path import Union
from nestling.ir.paths.row_steps import VARIABLE, ColumnId, Constants, Layout, Shape, Slice
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import JoinKind, Relation
from nestling.ir.statements.expression import ANY, Case, Column, Compare, Expression, Literal
from nestling.ir.statements.operands import has_subquery
from nestling.ir.statements.operators import Comparison
from nestling.ir.types import INTEGER
from nestling.planner.reads.elements import unwound
from nestling.planner.reads.first_documents import of_first_documents
from nestling.planner.reads.first_rows import first_of_each, lower_first
from nestling.planner.reads.gaps import read_gap
from nestling.planner.reads.grouping import lower_distinct, lower_group, unique_names
from nestling.planner.reads.joins import full_join, joined
from nestling.planner.reads.recursion import lower_recursive
from nestling.planner.reads.rewrites.archived import with_bounds
from nestling.planner.reads.rows import Lowered, LoweringContext
from nestling.planner.reads.scan import scan_branches
from nestling.planner.reads.set_operations import lower_set_operation
from nestling.planner.reads.sorting import lower_sort
from nestling.planner.reads.subqueries import lifted_all, where
from nestling.planner.reads.windows import lower_window


def lower(relation: Relation, context: LoweringContext) -> Lowered:
    """Return the relation's rows. Raises `ReadGap` if there are no steps for it."""
    return united(branches(relation, context), context)


def branches(relation: Relation, context: LoweringContext) -> list[Lowered]:
    """Return the relation's rows in parts: an operation on single rows is applied to each part."""
    match relation:
        case a.Scan():
            return scan_branches(relation, context)
        case a.Filter() if (first := first_of_each(relation)) is not None:
            return [lower_first(first, context)]
        case a.Filter():
            parts = branches(relation.input, context)
            return [where(part, with_bounds(relation.predicate, part.standing, context), context) for part in parts]
        case a.Project():
            return [_project(relation, part, context) for part in branches(relation.input, context)]
        case a.Join(kind=JoinKind.RIGHT):
            swapped = replace(relation, kind=JoinKind.LEFT, left=relation.right, right=relation.left)
            return branches(swapped, context)
        case a.Join(kind=JoinKind.FULL):
            return full_join(relation, context)
        case a.Join():
            return [joined(relation, part, context) for part in branches(relation.left, context)]
        case _:
            return [_whole(relation, context)]


def united(parts: list[Lowered], context: LoweringContext) -> Lowered:
    """Return all parts one after the other, as documents with the same fields."""
    if len(parts) == 1:
        return parts[0]
    shared = frozenset[ColumnId].intersection(*(frozenset(key for key, _ in part.layout.entries) for part in parts))
    keys = [key for key, path in parts[0].layout.entries if key in shared and not path.startswith(VARIABLE)]
    names = unique_names([name for _, name in keys], frozenset())
    fields = [(name, Column(*key, ANY)) for name, key in zip(names, keys, strict=True)]
    steps = tuple(Shape(part.step, tuple(fields), context.seen(part.layout)) for part in parts)
    layout = Layout(tuple(zip(keys, names, strict=True)))
    return Lowered(Union(steps), layout, frozenset(names) | {"_id"})


def _whole(relation: Relation, context: LoweringContext) -> Lowered:  # noqa: C901 - one case for each
    match relation:
        case a.Scan() | a.Filter() | a.Project() | a.Join():
            raise AssertionError("made of branches")
        case a.Values():
            return _values(relation, context)
        case a.Unnest():
            return unwound(relation, _values(a.Values(relation.alias, (), ((),)), context), context)
        case a.GroupBy():
            return lower_group(relation, context)
        case a.Distinct():
            return lower_distinct(relation, context)
        case a.Sort():
            return lower_sort(relation, context)
        case a.LimitOffset():
            rows = lower(relation.input, context)
            return replace(rows, step=of_first_documents(Slice(rows.step, relation.count, relation.offset), context))
        case a.SetOperation():
            return lower_set_operation(relation, context)
        case a.Window():
            return lower_window(relation, context)
        case a.Recursive():
            return lower_recursive(relation, context)
        case a.Working():
            raise read_gap("a recursion that does not follow one relationship")
        case _:
            assert_never(relation)


def _values(relation: a.Values, context: LoweringContext) -> Lowered:
    if any(map(has_subquery, chain(*relation.rows))):
        return _asked_values(relation, context)
    names = [f"column{position}" for position in range(len(relation.columns))]
    rows = tuple(tuple(zip(names, row, strict=True)) for row in relation.rows)
    layout = Layout.of({(c.alias, c.name): name for c, name in zip(relation.columns, names, strict=True)})
    return Lowered(Constants(rows, context.outer), layout, frozenset(names))


def _asked_values(relation: a.Values, context: LoweringContext) -> Lowered:
    """Rows whose values are partly read: each column's value is chosen by the row's position."""
    place = Column(relation.alias, "its place", INTEGER, nullable=False)
    numbers = tuple((Literal(number, INTEGER),) for number in range(len(relation.rows)))
    cells = [_at_place(place, cells) for cells in zip(*relation.rows, strict=True)]
    found, rows = lifted_all(cells, _values(a.Values(relation.alias, (place,), numbers), context), context)
    return rows.computed(dict(zip(relation.columns, found, strict=True)), context)


def _at_place(place: Column, cells: Sequence[Expression]) -> Expression:
    *before, last = cells
    if not before:
        return last
    is_at = (Compare(Comparison.EQUAL, place, Literal(number, INTEGER)) for number in range(len(before)))
    return Case(tuple(zip(is_at, before, strict=True)), last, last.type)


def _project(relation: a.Project, rows: Lowered, context: LoweringContext) -> Lowered:
    """Compute only outputs that are used; outputs that are columns stay where they are."""
    wanted = [out for out in relation.outputs if (relation.alias, out.name) in context.used]
    expressions, rows = lifted_all([out.expression for out in wanted], rows, context)
    computed: dict[Column, Expression] = {}
    paths: dict[tuple[str, str], str] = {}
    for out, expression in zip(wanted, expressions, strict=True):
        if isinstance(expression, Column):
            paths[relation.alias, out.name] = context.seen(rows.layout).path(expression)
        else:
            computed[Column(relation.alias, out.name, expression.type)] = expression
    rows = rows.computed(computed, context)
    return replace(rows, layout=rows.layout | Layout.of(paths))
