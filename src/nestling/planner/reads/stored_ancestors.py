"""Recursive queries answered from the ancestors that documents hold, where the query says the same of every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nestling.ir.paths.access_path import Step
from nestling.ir.paths.row_steps import Layout, Shape
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import Relation
from nestling.ir.statements.expression import Arithmetic, Coerce, Column, Compare, Expression, Literal, Parameter
from nestling.ir.statements.operands import columns_of
from nestling.ir.statements.operators import Comparison
from nestling.planner.reads.rewrites.ancestors import RowTree, found_below, kept_walk
from nestling.planner.reads.rewrites.links import scan_of
from nestling.planner.reads.rows import Lowered, LoweringContext
from nestling.planner.reads.walk import JoinWalk, depth_of, from_beginning


def at_once(
    relation: a.Recursive, walk: JoinWalk, shown: Sequence[int], names: Sequence[str], context: LoweringContext
) -> Step | None:
    """The base's rows and those met from them, from stored ancestors alone; None if the query needs more than that."""
    from nestling.planner.reads.lower import lower

    found = _one_tree(relation, walk, shown, context)
    if found is None:
        return None
    met = kept_walk(lower(found.base.input, context), found.scan.alias, found.tree, context)
    if met is None:
        return None
    return Shape(met.step, tuple(zip(names, found.values, strict=True)), context.seen(met.layout))


def as_condition(
    relation: a.Recursive, walk: JoinWalk, shown: Sequence[int], context: LoweringContext
) -> Lowered | None:
    """The row of a key that is given and all below it as rows of the table that satisfy a condition."""
    found = _one_tree(relation, walk, shown, context)
    key = (walk.by.name,)
    if found is None or context.design.model.entity(walk.scan.entity).key != key or context.outer.entries:
        return None
    start = _start(found.base.input, walk)
    rows = found_below(found.tree, start, context) if start is not None else None
    if rows is None or not all(isinstance(value, Column) for value in found.values):
        return None
    columns = [relation.columns[position] for position in shown]
    paths = {
        (column.alias, column.name): rows.layout.path(value)
        for column, value in zip(columns, found.values, strict=True)
        if isinstance(value, Column)
    }
    return replace(rows, layout=Layout.of(paths))


def _start(relation: Relation, walk: JoinWalk) -> Expression | None:
    """The one key that rows are restricted to, as a statement gives it."""
    match relation:
        case a.Filter(predicate=Compare(Comparison.EQUAL, Column(name=name), start)) if name == walk.by.name:
            inner = start.operand if isinstance(start, Coerce) else start
            is_number = isinstance(inner, Literal) and isinstance(inner.value, int) and start is inner
            return start if is_number or isinstance(inner, Parameter) else None
        case _:
            return None


@dataclass(frozen=True, slots=True)
class _OneTree:
    """A recursive query whose outputs mean the same for the first row and for those met: `values` of either, in order."""

    base: a.Project
    scan: a.Scan
    tree: RowTree
    values: Sequence[Expression]


def _one_tree(relation: a.Recursive, walk: JoinWalk, shown: Sequence[int], context: LoweringContext) -> _OneTree | None:
    base, scan = relation.base, _restricted_scan(relation.base)
    if not isinstance(base, a.Project) or scan is None or scan.entity != walk.scan.entity:
        return None
    first = [output.expression for output in base.outputs]
    at = dict(zip((column.name for column in walk.working.columns), first, strict=True))
    depth, begin = depth_of(walk), at[walk.start.name]
    alike = [_is_alike(first[position], walk.outputs[position], scan, walk) for position in shown]
    if not all(alike) or not isinstance(begin, Column) or begin.name != walk.by.name:
        return None
    values = [from_beginning(walk.outputs[position], walk, at, depth) for position in shown]
    mentioned = [column for value in values for column in columns_of(value)]
    down = context.design.model.entity(scan.entity).key == (walk.by.name,)
    key, reference = (walk.by, walk.to) if down else (walk.to, walk.by)
    wanted = [column for column in walk.scan.columns if column in mentioned]
    place = context.design.places[scan.entity][0]
    return _OneTree(
        base, scan, RowTree(place, key, reference, down, wanted, depth if depth in mentioned else None), values
    )


def _restricted_scan(relation: Relation) -> a.Scan | None:
    """The scan that some rows of are projected."""
    return scan_of(relation.input)[0] if isinstance(relation, a.Project) else None


def _is_alike(first: Expression, further: Expression, scan: a.Scan, walk: JoinWalk) -> bool:
    """Whether an output means the same for the first row as for those met: an attribute, a constant, or the steps so far."""
    match further:
        case Column(alias=alias, name=name) if alias == walk.scan.alias:
            return first == next(column for column in scan.columns if column.name == name)
        case Column(alias=alias):
            return alias == walk.working.alias and isinstance(first, Literal)
        case Arithmetic(left=Column(alias=alias)) if alias == walk.working.alias:
            return isinstance(first, Literal)
        case _:
            return False
