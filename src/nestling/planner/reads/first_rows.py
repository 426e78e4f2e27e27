"""The first row of each group, for DISTINCT ON and `row_number() … = 1`: sort, then take the first of equal keys.

An index on the keys followed by the order finds the first row of each group directly. Other rows are not read, whereas a window
function would number all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from nestling.ir.paths.row_steps import FirstRows
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import Relation, SortKey, WindowOnly
from nestling.ir.statements.expression import Column, Compare, Expression, Literal
from nestling.ir.statements.operands import conjunction, conjuncts
from nestling.ir.statements.operators import Collation, Comparison
from nestling.ir.types import INTEGER, ORDERED_ALIKE
from nestling.planner.reads.rows import Lowered, LoweringContext
from nestling.planner.reads.sorting import sorted_by
from nestling.planner.reads.subqueries import lifted_all, where


@dataclass(frozen=True, slots=True)
class FirstOfEach:
    """The first rows of `input` by `order` for each value of `keys`, then only those for which `rest` is true."""

    input: Relation
    keys: tuple[Expression, ...]
    order: tuple[SortKey, ...]
    number: Column
    rest: Expression | None


def first_of_each(relation: a.Filter) -> FirstOfEach | None:
    """Return what a condition on row numbers asks for; None if it is another condition."""
    window = relation.input
    if not isinstance(window, a.Window) or len(window.functions) != 1:
        return None
    ((name, function),) = ((each.name, each.window) for each in window.functions)
    binary = all(rule is Collation.BINARY for rule in function.partition_collations)
    if function.function is not WindowOnly.ROW_NUMBER or not function.partition or not function.order or not binary:
        return None
    parts = conjuncts(relation.predicate)
    for each in parts:
        match each:
            case Compare(Comparison.EQUAL, Column(alias=window.alias, name=found) as number, Literal(value=1)) if (
                found == name
            ):
                rest = conjunction(*(other for other in parts if other is not each))
                return FirstOfEach(window.input, function.partition, _with_keys(function), number, rest)
            case _:
                continue
    return None


def _with_keys(function: a.WindowFunction) -> tuple[SortKey, ...]:
    """The order with the keys before it, as an index has them; any order of the keys is right."""
    named = {key.expression for key in function.order}
    missing = [each for each in function.partition if each not in named]
    if not all(isinstance(each, Column) and each.type.name in ORDERED_ALIKE for each in missing):
        return function.order
    return (*(SortKey(each, descending=False, nulls_first=True) for each in missing), *function.order)


def lower_first(found: FirstOfEach, context: LoweringContext) -> Lowered:
    """Lower the first row of each group; further conditions come afterwards."""
    from nestling.planner.reads.lower import lower

    rows = lower(found.input, context)
    keys, rows = lifted_all(list(found.keys), rows, context)
    rows = sorted_by(found.order, rows, context)
    step = FirstRows(rows.step, tuple(keys), context.seen(rows.layout))
    rows = replace(rows, step=step, identity=())
    shown = context.used[found.number.alias, found.number.name] > 1
    rows = rows.computed({found.number: Literal(1, INTEGER)}, context) if shown else rows
    return rows if found.rest is None else where(rows, found.rest, context)
