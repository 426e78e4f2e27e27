"""The row of each parent that has the greatest or least value: no other is needed, so a copy of the first ones may hold it.

`r.number = (SELECT MAX(x.number) FROM revision x WHERE x.policy_id = p.id)` over `policy p JOIN revision r` is a window by now,
and the rows that are left are each policy's first by `number`, descending. The window stays: over the first rows it says the
same. Another function over them would not.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design import Design
from nestling.ir.statements import algebra as a
from nestling.ir.statements.aggregate_functions import EXTREMES
from nestling.ir.statements.algebra import WHOLE_PARTITION, AggregateFunction
from nestling.ir.statements.expression import Column, Compare, Expression
from nestling.ir.statements.operands import conjuncts
from nestling.ir.statements.operators import Collation, Comparison
from nestling.ir.types import ORDERED_ALIKE
from nestling.planner.reads.rewrites.computed import InnerJoins, inner_joined
from nestling.planner.reads.rewrites.conjuncts import about
from nestling.planner.reads.rewrites.links import without_link
from nestling.planner.reads.rows import First


def latest(relation: a.Filter, design: Design) -> Iterator[tuple[str, First]]:
    """The aliases of which a filter over windows leaves the first row of each parent, and in which order."""
    window = relation.input
    joined = inner_joined(window.input) if isinstance(window, a.Window) and len(window.functions) == 1 else None
    if joined is None or not isinstance(window, a.Window):
        return
    function = window.functions[0].window
    for predicate in conjuncts(relation.predicate):
        for column in _equal_to_window(predicate, window.alias):
            descending = _descending(function, column)
            if descending is not None and _is_of_parents(joined, column, function, design):
                yield column.alias, First(((column.name, descending),), 1)


def _equal_to_window(predicate: Expression, windows: str) -> Iterator[Column]:
    """A column that must be equal to the window function."""
    if isinstance(predicate, Compare) and (predicate.operator, predicate.collation) == (
        Comparison.EQUAL,
        Collation.BINARY,
    ):
        for one, other in ((predicate.left, predicate.right), (predicate.right, predicate.left)):
            if isinstance(one, Column) and isinstance(other, Column) and other.alias == windows != one.alias:
                yield one


def _descending(function: a.WindowFunction, column: Column) -> bool | None:
    """Whether the greatest or the least of the column is wanted; None where it is neither, or NULL comes before it."""
    plain = not column.mixed and column.type.name in ORDERED_ALIKE and column.type.fraction_digits <= 3
    whole = function.frame == WHOLE_PARTITION and not function.order and function.filter is None
    if not plain or not whole or function.arguments != (column,) or function.function not in EXTREMES:
        return None
    descending = function.function is AggregateFunction.MAX
    return descending if descending or not column.nullable else None


def _is_of_parents(joined: InnerJoins, column: Column, function: a.WindowFunction, design: Design) -> bool:
    """Whether the window goes over all children of one parent, of which no two have the same value."""
    child = next((each for each in joined.scans if each.alias == column.alias), None)
    parents = {each.alias for each in function.partition if isinstance(each, Column)}
    parent = next((each for each in joined.scans if {each.alias} == parents), None)
    if child is None or parent is None:
        return False
    key = {each.name for each in function.partition if isinstance(each, Column)}
    asked = [each for each in joined.conditions if child.alias in about(each)]
    return key >= set(design.model.entity(parent.entity).key) and any(
        without_link(asked, link, parent=parent.alias, child=child.alias) == []
        and design.model.entity(child.entity).is_superkey({*link.child_attributes, column.name})
        for link in design.model.children_of(parent.entity)
        if link.child == child.entity
    )
