"""Recursive queries: a walk along one reference of a table to itself becomes a graph lookup; anything else is a gap.

The walk from one row meets each other row once, because a row has one parent, which agrees with UNION ALL for every walk that
ends. Values that the step increments (a depth) or passes on unchanged follow from the first row and the number of steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from nestling.ir.paths.access_path import CollectionScan, Step, Union
from nestling.ir.paths.row_steps import GraphLookup, GroupRows, Layout, Shape
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import JoinKind, Relation
from nestling.ir.statements.expression import ONE, Arithmetic, Column, Expression, IsNull, Literal, Not
from nestling.ir.statements.operands import conjuncts, nullable
from nestling.ir.statements.operators import ArithmeticOperator
from nestling.ir.types import INTEGER
from nestling.planner.homes.place import documents_at
from nestling.planner.reads.correlate import equal_columns, stored_path
from nestling.planner.reads.gaps import read_gap
from nestling.planner.reads.rows import Lowered, LoweringContext
from nestling.planner.reads.scan import top_fields
from nestling.planner.reads.stored_ancestors import as_condition, at_once
from nestling.planner.reads.walk import JoinWalk, depth_of, from_beginning, is_told_by_row

_OUTSIDE = "put conditions outside: `WITH RECURSIVE chain AS (…) SELECT … FROM chain WHERE depth <= 20`"


def lower_recursive(relation: a.Recursive, context: LoweringContext) -> Lowered:
    """Return the base's rows, and those that the walks from them meet."""
    walk = _walk(relation, context)
    shown = _shown(relation, walk, context)
    asked = as_condition(relation, walk, shown, context)
    if asked is not None:
        return asked
    columns = tuple(relation.columns[position] for position in shown)
    names = [f"column{position}" for position in shown]
    step = at_once(relation, walk, shown, names, context) or _in_turn(relation, walk, shown, names, context)
    layout = Layout.of({(c.alias, c.name): name for c, name in zip(columns, names, strict=True)})
    rows = Lowered(step, layout, frozenset(names) | {"_id"})
    if relation.all:
        return rows
    keys = tuple((name, replace(column, nullable=True)) for name, column in zip(names, columns, strict=True))
    once = GroupRows(step, keys, (), context.seen(layout))
    return Lowered(once, Layout(tuple((key, f"_id.{name}") for key, name in layout.entries)), frozenset({"_id"}))


def _shown(relation: a.Recursive, walk: JoinWalk, context: LoweringContext) -> list[int]:
    """The used outputs. If equal rows are merged, all outputs count, unless the key is among them, which determines the rest."""
    key = context.design.model.entity(walk.scan.entity).key
    told = [n for n, each in enumerate(walk.outputs) if isinstance(each, Column) and (each.name,) == key]
    told = [position for position in told if is_told_by_row(walk.outputs[position], walk)]
    every = list(range(len(relation.columns)))
    if not told:
        return every
    used = {n for n, column in enumerate(relation.columns) if context.used[column.alias, column.name]}
    if not relation.all:  # what does not follow from the key tells rows apart
        used |= {told[0], *(n for n in every if not is_told_by_row(walk.outputs[n], walk))}
    return sorted(used) or told[:1]


def _in_turn(
    relation: a.Recursive, walk: JoinWalk, shown: Sequence[int], names: Sequence[str], context: LoweringContext
) -> Step:
    """The base's rows, followed by those met from each by the server's walk from row to row."""
    from nestling.planner.reads.lower import lower

    base = lower(relation.base, context)
    own = tuple((name, relation.base.columns[position]) for name, position in zip(names, shown, strict=True))
    at = dict(zip((column.name for column in walk.working.columns), relation.base.columns, strict=True))
    begin, depth = at[walk.start.name], depth_of(walk)
    rows = base.where(Not(IsNull(begin)), context) if nullable(begin) else base
    field = rows.fresh(walk.scan.alias)
    place = context.design.places[walk.scan.entity][0]
    paths = {column: stored_path(place, column, context) for column in walk.scan.columns}
    name = replace(rows, taken=top_fields(place.store)).fresh("depth")
    start, by = rows.layout.path(begin), str(paths[walk.by])
    step = GraphLookup(rows.step, place.store.name, start, by, str(paths[walk.to]), field, name)
    met = {(c.alias, c.name): f"{field}.{path}" for c, path in paths.items() if path is not None}
    layout = context.seen(rows.layout) | Layout.of(met) | Layout((((depth.alias, depth.name), f"{field}.{name}"),))
    steps = Arithmetic(ArithmeticOperator.ADD, depth, ONE, INTEGER)
    values = [from_beginning(walk.outputs[position], walk, at, steps) for position in shown]
    return Union(
        (
            Shape(base.step, own, context.seen(base.layout)),
            Shape(step, tuple(zip(names, values, strict=True)), layout),
        )
    )


# --- the shape -------------------------------------------------------------------------------------------------------


def _walk(relation: a.Recursive, context: LoweringContext) -> JoinWalk:
    """Return the step as a walk. Raises `ReadGap` if it is something else."""
    step = relation.step
    outputs: Iterable[Expression] = step.columns
    if isinstance(step, a.Project):
        outputs, step = tuple(out.expression for out in step.outputs), step.input
    leaves, conditions = _flattened(step)
    workings = [leaf for leaf in leaves if isinstance(leaf, a.Working)]
    scans = [leaf for leaf in leaves if isinstance(leaf, a.Scan)]
    if len(leaves) == len(workings) == 1:
        raise _no_walk("give the days or numbers as parameters, or make the series in the application")
    if len(leaves) != 2 or len(workings) != 1 or len(scans) != 1 or len(conditions) != 1:
        raise _no_walk(_OUTSIDE if len(conditions) > 1 else "")
    pair = equal_columns(conditions[0], scans[0].alias)
    if pair is None:
        raise _no_walk()
    walk = JoinWalk(tuple(outputs), workings[0], scans[0], pair[1], pair[0])
    if not _lies_alone(walk, context):
        raise _scattered(walk.scan.entity)
    if not _is_along_a_reference(walk, context):
        raise _no_walk()
    if not all(_is_told(each, walk) for each in walk.outputs):
        raise _no_walk(
            "select the key, its reference and a depth, and make paths and sums of the rows in the application"
        )
    return walk


def _flattened(relation: Relation) -> tuple[list[Relation], list[Expression]]:
    match relation:
        case a.Filter():
            leaves, conditions = _flattened(relation.input)
            return leaves, [*conditions, *conjuncts(relation.predicate)]
        case a.Join(kind=JoinKind.INNER | JoinKind.CROSS):
            (left, some), (right, others) = _flattened(relation.left), _flattened(relation.right)
            return left + right, [*some, *others, *conjuncts(relation.condition)]
        case _:
            return [relation], []


def _lies_alone(walk: JoinWalk, context: LoweringContext) -> bool:
    """Whether all of the table's rows are the documents of one collection."""
    places = context.design.places.get(walk.scan.entity, ())
    return len(places) == 1 and places[0].copy is None and isinstance(documents_at(places[0]), CollectionScan)


def _is_along_a_reference(walk: JoinWalk, context: LoweringContext) -> bool:
    """Whether the walk goes from a key to what refers to it, or the other way round."""
    position = [column.name for column in walk.working.columns].index(walk.start.name)
    by = walk.outputs[position]
    places = context.design.places[walk.scan.entity]
    if not isinstance(by, Column) or by.alias != walk.scan.alias:
        return False
    if any(stored_path(places[0], column, context) is None for column in (by, walk.to)):
        return False
    key = context.design.model.entity(walk.scan.entity).key
    one_way = key == (walk.to.name,) or key == (by.name,)
    links = context.design.model.relationships
    return one_way and any(
        link.is_self
        and link.parent == walk.scan.entity
        and {by.name, walk.to.name} == {*link.parent_attributes, *link.child_attributes}
        for link in links
    )


def _is_told(output: Expression, walk: JoinWalk) -> bool:
    """Whether the output is computed from the row met alone, is passed on unchanged, or is incremented by a number."""
    if is_told_by_row(output, walk):
        return True
    match output:
        case Column():
            return output.alias == walk.working.alias
        case Arithmetic(operator=ArithmeticOperator.ADD, left=Column(alias=alias), right=Literal(value=int())):
            return alias == walk.working.alias
        case _:
            return False


def _scattered(entity: str) -> Exception:
    where = f"`{entity}`, whose rows are not the documents of one collection in this design"
    return read_gap(f"a recursive query over {where}; it is converted for designs where they are")


def _no_walk(move: str = "") -> Exception:
    """The gap of anything else.

    A condition on the depth within the walk is one: where rows refer to each other in a circle, it makes them repeat.
    """
    return read_gap("a recursive query that does not follow one reference of a table to itself", move=move)
