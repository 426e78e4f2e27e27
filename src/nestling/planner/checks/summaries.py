"""Buckets: their number of events and their summaries, compared with the events."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design import Design
from nestling.ir.drift import ID_COLUMN, Check, ComparedValue, DriftKind
from nestling.ir.paths.access_path import CollectionScan, DocumentOf, FieldPath, NullAsMissing, ProjectDocuments, Unwind
from nestling.ir.paths.row_steps import Add, GroupRows, Layout
from nestling.ir.programs.compiled import OutputColumn, ReadPlan
from nestling.ir.reading import Gap
from nestling.ir.statements.algebra import AggregateCall, AggregateFunction
from nestling.ir.statements.expression import ANY, Column
from nestling.ir.storage.layout import Place, StoredCollection
from nestling.ir.storage.names import join
from nestling.ir.types import INTEGER
from nestling.planner.checks.comparison import differing, mending_update
from nestling.planner.reads import ReadGap
from nestling.planner.upkeep.bucket_summary import summary_aggregates

COUNT = "count"
"""The field of a bucket that holds the number of its events."""
_BUCKET = "bucket"
_EVENT = Column(_BUCKET, "event", ANY)
_FOUND = Column(_BUCKET, "what it says", ANY)
_INEXACT = (AggregateFunction.SUM, AggregateFunction.AVG)


def summary_checks(design: Design) -> Iterator[Check | Gap]:
    """A check for every collection of buckets; a gap for a summary no read is known for."""
    for store in design.stores:
        for root in store.roots:
            if root.bucket is not None:
                try:
                    yield _check(design, store, Place(store, (root, root.children[0])))
                except ReadGap as error:
                    yield error.at(store.name)


def _check(design: Design, store: StoredCollection, events: Place) -> Check:
    counted = AggregateCall(AggregateFunction.COUNT, _EVENT, INTEGER)
    summary, columns = summary_aggregates(design, events)
    fields = ((COUNT, counted), *((name, counted if a.argument is None else a) for name, a in summary))
    found = DocumentOf(tuple((f"found {n}", FieldPath(name)) for n, (name, _) in enumerate(fields)))
    kept = Add(CollectionScan(store.name), ((_FOUND.name, found),))  # as one value: null is not missing
    keys = ((ID_COLUMN, Column(_BUCKET, ID_COLUMN, ANY)), (_FOUND.name, _FOUND))
    here = {(_BUCKET, ID_COLUMN): "_id", (_BUCKET, _EVENT.name): events.node.field, (_BUCKET, _FOUND.name): _FOUND.name}
    step = Unwind(kept, events.node.field, keep_empty=True)
    aggregates = tuple((f"value {n}", aggregate) for n, (_, aggregate) in enumerate(fields))
    grouped = GroupRows(step, keys, aggregates, columns | Layout.of(here))
    values = tuple(ComparedValue(name, f"value {n}", f"found {n}") for n, (name, _) in enumerate(fields))
    shown = [(ID_COLUMN, FieldPath(f"_id.{ID_COLUMN}"))]
    projected = ProjectDocuments(
        grouped,
        (
            *shown,
            *((each.expected, NullAsMissing(FieldPath(each.expected))) for each in values),
            *((each.found, FieldPath(f"_id.{_FOUND.name}.{each.found}")) for each in values),
        ),
    )
    names = (ID_COLUMN, *(each.expected for each in values), *(each.found for each in values))
    plan = ReadPlan(differing(projected, values), tuple(OutputColumn(name, name, ANY) for name in names))
    return Check(
        join(store.name, events.node.field),
        DriftKind.SUMMARY,
        store.name,
        plan,
        values,
        repair=mending_update(Place(store, events.nodes[:1]), (), values),
        inexact=any(aggregate.function in _INEXACT for _, aggregate in fields),
    )
