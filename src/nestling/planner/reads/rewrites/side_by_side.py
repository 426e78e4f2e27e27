"""What belongs to many rows is looked up as arrays, one lookup after the other; rows are made of the arrays when all are there.

The server runs lookups at the start of a pipeline in its faster engine (6.0 and later), several times as fast, as long as
nothing stands between them, neither an `$unwind` nor a pipeline of the lookup's own. An `$unwind` right behind a lookup belongs
to it, so a `$set` comes first. Only the last lookup may find several rows, so nothing multiplies. It takes longer to begin,
which a few rows do not make up for (`known/faster_lookups.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from nestling.ir.indexes.planned_indexes import planned_indexes
from nestling.ir.paths.access_path import CollectionScan, Step, Unwind
from nestling.ir.paths.row_steps import Correlate, GroupRows, Keep, KeepElements, Slice, SortRows, Where
from nestling.ir.statements import algebra as a
from nestling.ir.statements.expression import Column, Expression, IsNull, Not
from nestling.ir.statements.operands import has_subquery
from nestling.planner.known.distinct import distinct_of
from nestling.planner.known.faster_lookups import FEW_FOUND, LEAST_FASTER_ROWS, ROWS_A_LOOKUP, FoundRows
from nestling.planner.reads.correlate import equal_columns, stored_path
from nestling.planner.reads.rewrites.links import fixed_column, scan_of
from nestling.planner.reads.rewrites.rows_left import rows_left
from nestling.planner.reads.rows import Lowered, LoweringContext


def are_many(relation: a.Relation, rows: Lowered, context: LoweringContext) -> bool:
    """Whether the rows are many, as far as is known, and those a collection begins with, or what is grouped of them."""
    if context.is_inside or not begins(rows.step):
        return False
    while isinstance(relation, a.Join):
        relation = relation.left
    left = rows_left(relation, context.design.model, context.statistics)
    if left is not None:
        return left.rows >= LEAST_FASTER_ROWS
    scan, predicates = scan_of(relation)
    if scan is None:
        return True
    fixed = {column.name for each in predicates if (column := fixed_column(each, scan.alias)) is not None}
    return not context.design.model.entity(scan.entity).is_superkey(fixed)


def begins(step: Step) -> bool:
    """Whether it is a collection's documents, maybe grouped and with others looked up, so that the faster engine goes on from it.

    What is asked of groups, or of what was looked up, ends that. Not where they are in order for a limit to come, which is to end
    the lookups.
    """
    is_limited = is_asked = False
    while isinstance(step, Where | SortRows | Slice) or (_by_faster_engine(step) and not is_asked):
        if isinstance(step, SortRows) and not is_limited:
            return False
        is_limited = is_limited or isinstance(step, Slice)
        is_asked = is_asked or not _by_faster_engine(step)
        step = step.source
    return isinstance(step, CollectionScan)


def _by_faster_engine(step: Step) -> TypeGuard[GroupRows | Correlate]:
    """Whether the faster engine does it after reading the documents. A group without keys is one of no rows, too, by a union."""
    return (isinstance(step, GroupRows) and bool(step.keys)) or (isinstance(step, Correlate) and step.beside)


def key_equality(scan: a.Scan, conditions: Sequence[Expression], context: LoweringContext) -> Expression | None:
    """The condition that says what the table's key is, if that is one column."""
    key = context.design.model.entity(scan.entity).key
    pairs = ((each, equal_columns(each, scan.alias)) for each in conditions)
    return next((each for each, pair in pairs if pair is not None and (pair[0].name,) == tuple(key)), None)


def beside(rows: Lowered) -> Lowered | None:
    """Rows that have just looked one up by its `_id`, as one beside others; None where more was asked."""
    step = rows.step
    if not isinstance(step, Correlate) or step.equal is None or step.equal[1] != "_id" or step.variables:
        return None
    return replace(rows, step=replace(step, beside=True)) if isinstance(step.foreign, CollectionScan) else None


@dataclass(frozen=True, slots=True)
class ArrayLookup:
    """A lookup of the rows of a table by one equality, as an array: its condition, `own` and `other` column, and what is left."""

    condition: Expression
    own: Column
    other: Column
    rest: list[Expression]


def array_lookup(scan: a.Scan, asked: Sequence[Expression], step: Step, context: LoweringContext) -> ArrayLookup | None:
    """The lookup of a table's rows for each of many rows of `step`; None where it does not pay, or something else is better.

    Of several equalities the one that finds fewest, whose rows are then asked for the others.
    """
    from nestling.planner.work.estimate import expected_rows

    if any(map(has_subquery, asked)):
        return None
    pairs = [(each, pair) for each in asked if (pair := equal_columns(each, scan.alias)) is not None]
    found = [(rows, *each) for each in pairs if (rows := _found_rows(scan, each[1][0], context)) is not None]
    pays = [each for each in found if each[0].pays and (len(pairs) == 1 or each[0].mean <= FEW_FOUND)]
    if not pays or len(found) < len(pairs):
        return None
    rows, condition, (own, other) = min(pays, key=lambda each: each[0].mean)
    rest = [each for each in asked if each is not condition]
    may_be_found_together = len(pairs) > 1 and not rows.by_index
    if (
        may_be_found_together
        and ROWS_A_LOOKUP * expected_rows(step, context.design, context.statistics) < rows.documents
    ):
        return None
    if rows.by_index and _finds_ranges(scan, own, rest, context):
        return None
    return ArrayLookup(condition, own, other, rest)


def _found_rows(scan: a.Scan, column: Column, context: LoweringContext) -> FoundRows | None:
    """What a lookup by a column of a table finds in its documents; None where nothing tells how many there are."""
    from nestling.planner.work.average_documents import documents_of

    design, statistics, places = context.design, context.statistics, context.design.places.get(scan.entity, ())
    count = statistics.entity(scan.entity).count
    path = stored_path(places[0], column, context) if len(places) == 1 and len(places[0].nodes) == 1 else None
    if count is None or path is None:
        return None
    store, rows = places[0].store, max(count.value, 1.0)
    mean, most = rows / distinct_of(scan.entity, column.name, design.model, statistics), rows
    for link in design.model.parents_of(scan.entity):
        largest = statistics.relationship(link.name).maximum
        if link.child_attributes == (column.name,) and largest is not None:
            most = min(most, max(largest.value, mean))
    if design.model.entity(scan.entity).is_superkey({column.name}):
        mean = most = 1.0
    built = (each for each in planned_indexes(design) if each.collection == store.name and not each.partial)
    by_index = path == "_id" or any(each.keys[0][0] == path for each in built)
    return FoundRows(mean, most, documents_of(store, design, statistics).bytes, rows, by_index)


def _finds_ranges(scan: a.Scan, column: Column, rest: Sequence[Expression], context: LoweringContext) -> bool:
    """Whether an index finds ranges between the table's columns and those of the other rows, too."""
    from nestling.planner.reads.ranges_by_index import ranges_by_index

    return bool(ranges_by_index(scan, rest, [column.name], context))


def has_few_nulls(scan: a.Scan, column: Column, context: LoweringContext) -> bool:
    """Whether so few rows of a table lack a column's value that they may be found for each row that lacks one, too."""
    known = context.statistics.entity(scan.entity)
    share = known.attribute(column.name).null_share
    return known.count is not None and share is not None and known.count.value * share.value <= FEW_FOUND


def as_array(step: Step, own: Column) -> Correlate | None:
    """A lookup of all documents by the field of a column, as one array beside others; None where more is asked of them.

    What the lookup asks itself, that they have a value in this field, is left out.
    """
    if not isinstance(step, Correlate) or step.equal is None or step.variables:
        return None
    foreign = step.foreign
    if isinstance(foreign, Where) and foreign.predicate == Not(IsNull(own)):
        foreign = foreign.source
    return (
        replace(step, foreign=foreign, keep=Keep.TOGETHER, beside=True) if isinstance(foreign, CollectionScan) else None
    )


def several_beside(rows: Lowered, own: Column, kept: Expression | None, context: LoweringContext) -> Lowered | None:
    """Rows that have just looked up several others, as one array, unwound; `kept`: what an outer join asks of the others."""
    made = as_array(rows.step, own)
    if made is None:
        return None
    assert isinstance(rows.step, Correlate)
    found: Step = made if kept is None else KeepElements(made, kept, context.seen(rows.layout), made.field)
    return replace(rows, step=Unwind(found, made.field, keep_empty=rows.step.keep is Keep.ALL))
