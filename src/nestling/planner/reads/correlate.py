"""One relation's rows for each row of another: the basis of joins and subqueries.

The relation is lowered to the lookup's own pipeline. Columns of the outer rows become variables. An equality between a stored
field of the first scan and a field of the outer rows becomes the lookup's own equality, which can use an index.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from nestling.ir.paths.access_path import CollectionScan, FieldPath, FilterDocuments, Step, Union
from nestling.ir.paths.row_steps import VARIABLE, Barrier, Correlate, Keep, Where
from nestling.ir.primitives import CollectionKind
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import JoinKind, Relation
from nestling.ir.statements.expression import Column, Compare, Expression, IsNull, Not, Raw
from nestling.ir.statements.operands import conjuncts, nullable
from nestling.ir.statements.operators import Collation, Comparison
from nestling.ir.storage.layout import Place
from nestling.ir.storage.stored_equality import alike, alike_in_order, compared_by_parts, same
from nestling.planner.homes.attribute import attribute_at
from nestling.planner.reads.rewrites import Rewrite
from nestling.planner.reads.rewrites.conjuncts import restricted
from nestling.planner.reads.rewrites.pushdown import push_predicates
from nestling.planner.reads.rows import Lowered, LoweringContext
from nestling.planner.reads.scan import identity_paths
from nestling.planner.reads.traverse import free_columns


@dataclass(frozen=True, slots=True)
class Equal:
    """A lookup's own equality (of two paths, or of a compound `_id`), and the relation that is left to do without it."""

    relation: Relation
    paths: tuple[str, str] | None = None
    identity: tuple[tuple[str, str], ...] = ()


def correlated(rows: Lowered, relation: Relation, keep: Keep, context: LoweringContext, wish: str) -> Lowered:
    """Each row with the relation's rows, under a field named like `wish`."""
    from nestling.planner.reads.lower import lower

    if context.may(Rewrite.PUSHDOWN):
        relation = push_predicates(relation)
    equal = leading_equality(relation, rows, context) if context.may(Rewrite.EQUALITY) else None
    relation = equal.relation if equal is not None else relation
    free = [column for column in free_columns(relation).values() if column in rows.layout]
    variables = [(column, context.names.variable(column)) for column in free]
    outer = [((column.alias, column.name), VARIABLE + name) for column, name in variables]
    inside = context.inside(outer, again=bool(outer) or equal is not None)
    inner = _in_fields(lower(relation, inside), relation, inside)
    name = rows.fresh(wish)
    step = Correlate(
        rows.step,
        _with_barrier(inner.step, context),
        name,
        keep,
        equal.paths if equal is not None else None,
        tuple((variable, rows.layout.path(column)) for column, variable in variables),
        equal.identity if equal is not None else (),
    )
    standing = {
        alias: replace(
            at, prefix=f"{name}.{at.prefix}" if at.prefix else name, optional=at.optional or keep is Keep.ALL
        )
        for alias, at in inner.standing.items()
    }
    return Lowered(step, rows.layout | inner.layout.under(name), rows.taken | {name}, {**rows.standing, **standing})


def _in_fields(inner: Lowered, relation: Relation, context: LoweringContext) -> Lowered:
    """Move columns that are variables into fields: variables do not exist outside, and a row may lack a partner."""
    shown = [column for column in relation.columns if column in inner.layout]
    return inner.computed({each: each for each in shown if inner.layout.path(each).startswith(VARIABLE)}, context)


def _with_barrier(step: Step, context: LoweringContext) -> Step:
    """Insert a barrier after the conditions on a time series, if there is one."""
    if isinstance(step, Union):
        return replace(step, sources=tuple(_with_barrier(each, context) for each in step.sources))
    below: Step | None = getattr(step, "source", None)
    if below is None or _asks_of_series(step, context):
        return step
    changed: Any = {"source": Barrier(below) if _asks_of_series(below, context) else _with_barrier(below, context)}
    return replace(step, **changed)


def _asks_of_series(step: Step, context: LoweringContext) -> bool:
    """Whether it does no more than ask of the documents of a time series."""
    while isinstance(step, Where | FilterDocuments):
        step = step.source
    if not isinstance(step, CollectionScan):
        return False
    return context.design.store(step.collection).options.kind is CollectionKind.TIME_SERIES


# --- the equality a lookup asks by itself --------------------------------------------------------------------------------


def leading_equality(relation: Relation, rows: Lowered, context: LoweringContext) -> Equal | None:
    """An equality of the first scan's filter between a stored field and a field of the rows, taken out of the relation."""
    match relation:
        case a.Filter(input=a.Scan() as scan, predicate=predicate):
            return _of_scan(scan, conjuncts(predicate), rows, context)
        case a.Join(kind=JoinKind.INNER | JoinKind.CROSS | JoinKind.LEFT, left=left):
            found = leading_equality(left, rows, context)
            return replace(found, relation=replace(relation, left=found.relation)) if found is not None else None
        case a.Filter() | a.Project() | a.Distinct() | a.Sort() | a.LimitOffset() | a.Window() | a.GroupBy():
            found = leading_equality(relation.input, rows, context)
        case _:
            return None
    return replace(found, relation=replace(relation, input=found.relation)) if found is not None else None


def _of_scan(scan: a.Scan, predicates: list[Expression], rows: Lowered, context: LoweringContext) -> Equal | None:
    places = context.design.places.get(scan.entity, ())
    if len(places) != 1 or places[0].copy is not None:
        return None
    place = places[0]
    pairs = [pair for each in predicates if (pair := _pair(each, scan, place, rows, context)) is not None]
    whole = _whole_identity(place, pairs) if context.may(Rewrite.IDENTITY) else None
    if whole is not None:
        used = [pair.predicate for pair in whole]
        rest = [each for each in predicates if each not in used]
        parts = tuple((pair.foreign.removeprefix("_id."), pair.local) for pair in whole)
        return Equal(restricted(scan, rest), identity=parts)
    pair = min(pairs, key=lambda each: each.in_array, default=None)
    if pair is None or (pair.in_array and not context.may(Rewrite.PREFILTER)):
        return None
    rest = [each for each in predicates if each is not pair.predicate or pair.in_array]
    if pair.may_be_null and not pair.in_array:
        rest = [Not(IsNull(pair.own)), *rest]
    return Equal(restricted(scan, rest), (pair.local, pair.foreign))


@dataclass(frozen=True, slots=True)
class _Pair:
    """A predicate that says that a path of the scanned collection and a path of the rows are equal.

    `in_array`: the path is in elements of an array, so that it finds documents of which one element has the value.
    """

    predicate: Expression
    own: Column
    foreign: str
    local: str
    may_be_null: bool
    in_array: bool


def _pair(predicate: Expression, scan: a.Scan, place: Place, rows: Lowered, context: LoweringContext) -> _Pair | None:
    columns = equal_columns(predicate, scan.alias)
    if columns is None or columns[1] not in rows.layout:
        return None
    own, other = columns
    path, local = stored_path(place, own, context), rows.layout.path(other)
    if path is None or local.startswith(VARIABLE):
        return None
    stored = place.stored(own.name)
    above = place.nodes if stored is None else place.nodes[: stored[0] + 1]
    in_array = any(node.form.to_many for node in above)
    return _Pair(predicate, own, path, local, nullable(own) and nullable(other), in_array)


def _whole_identity(place: Place, pairs: list[_Pair]) -> list[_Pair] | None:
    """The pairs that are all parts of the collection's compound `_id`, in its order."""
    by_path = {pair.foreign: pair for pair in pairs}
    paths = identity_paths(place)
    return [by_path[path] for path in paths] if paths and all(path in by_path for path in paths) else None


def equal_columns(predicate: Expression, alias: str) -> tuple[Column, Column] | None:
    """(column of the alias, another's) that the predicate says are equal, where the server's equality is SQL's."""
    if not isinstance(predicate, Compare) or predicate.operator is not Comparison.EQUAL:
        return None
    if predicate.collation is not Collation.BINARY:
        return None
    left, right = bare(predicate.left), bare(predicate.right)
    if left is None or right is None:
        return None
    if not _alike(predicate.left, predicate.right, left, right, strict=predicate.strict):
        return None
    if left.alias == alias and right.alias != alias:
        return left, right
    return (right, left) if right.alias == alias and left.alias != alias else None


def ordered_columns(predicate: Expression, alias: str) -> tuple[Column, Column] | None:
    """Return (column of the alias, other column) if the predicate is a range that the server orders as stored."""
    if not isinstance(predicate, Compare) or not predicate.operator.is_order:
        return None
    if predicate.collation is not Collation.BINARY:
        return None
    match predicate.left, predicate.right:
        case (Column() as left, Column() as right) if alike_in_order(left.type, right.type):
            if left.alias == alias and right.alias != alias:
                return left, right
            return (right, left) if right.alias == alias and left.alias != alias else None
        case _:
            return None


def bare(expression: Expression) -> Column | None:
    """The column an expression is, or shows in its database's own way."""
    inner = expression.operand if isinstance(expression, Raw) else expression
    return inner if isinstance(inner, Column) else None


def _alike(one: Expression, other: Expression, left: Column, right: Column, *, strict: bool) -> bool:
    if compared_by_parts(left.type, right.type):
        return False
    if any(column.mixed and not column.numbers for column in (left, right)):
        return strict
    if isinstance(one, Raw) or isinstance(other, Raw):
        return same(left.type, right.type) and isinstance(one, Raw) is isinstance(other, Raw)
    return alike(left.type, right.type)


def stored_path(place: Place, column: Column, context: LoweringContext) -> str | None:
    """Return the attribute's path in documents of the place's collection, or None if it is not a plain field."""
    found = attribute_at(context.design, place, len(place.nodes) - 1, column.name)
    return found.value.path if isinstance(found.value, FieldPath) and not found.joins else None
