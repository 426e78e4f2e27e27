"""Rows that are stored where no statement looks for them.

Events in a bucket of another window, and rows on the wrong side of an archive's bound: a statement with a condition on the time
skips such buckets and archives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from nestling.ir.design import Design
from nestling.ir.drift import Check, ComparedValue, DriftKind
from nestling.ir.model import Entity
from nestling.ir.paths.access_path import FieldPath, NullAsMissing
from nestling.ir.paths.row_steps import Where
from nestling.ir.primitives import BUCKET_START, Before, BucketWindow, CollectionKind
from nestling.ir.reading import Gap
from nestling.ir.statements.expression import Column, Expression, Not
from nestling.ir.statements.operands import conjunction
from nestling.ir.storage.layout import Place, Role, StoredCollection
from nestling.ir.storage.names import join
from nestling.planner.checks.comparison import FOUND, compared_read, found_read, of_dates, values_of, way_to
from nestling.planner.homes.archive_bound import is_before
from nestling.planner.homes.attribute import is_collection_root
from nestling.planner.reads import ReadGap
from nestling.planner.upkeep.bucket_window import MOMENT, window_start
from nestling.planner.upkeep.holder import holder_rows, locators
from nestling.planner.upkeep.source import HOLDER, column, homes_context

_BEGINS = Column("window", BUCKET_START, MOMENT)


def misplaced_checks(design: Design) -> Iterator[Check | Gap]:
    """A check for every collection of buckets with windows, and for every one of rows that have archives."""
    for store in design.stores:
        for root in store.roots:
            place = Place(store, (root,))
            try:
                if root.bucket is not None and root.bucket.window is not None:
                    yield from _events(design, Place(store, (root, root.children[0])), root.bucket.window)
                elif is_collection_root(place):
                    yield from _rows(design, place)
            except ReadGap as error:
                yield error.at(store.name)


def _events(design: Design, place: Place, window: BucketWindow) -> Iterator[Check]:
    """Events, each compared with the window its bucket is of; where times are of several types, no statement leaves one out."""
    time = column(design.model, place.node.entity, HOLDER, window.attribute)
    if not time.mixed:
        yield _in_windows(design, place, window, time)


def _in_windows(design: Design, place: Place, window: BucketWindow, time: Column) -> Check:
    context = homes_context(design, [time])
    rows = holder_rows(place, [time], context)
    rows = replace(rows, step=of_dates(rows.step, rows.layout.path(time)))
    rows = rows.computed({_BEGINS: window_start(time, window)}, context)
    told, path = locators(design, place), place.node.path_of(window.attribute) or window.attribute
    begins = NullAsMissing(FieldPath(rows.layout.path(_BEGINS)))
    read, values = compared_read(rows.step, place, told, ((path, begins, FieldPath(join("_id", BUCKET_START))),))
    return Check(
        join(place.store.name, place.node.field),
        DriftKind.MISPLACED,
        place.store.name,
        read,
        values,
        way_to(place, told),
        next_move=f"take the event out of the bucket ($pull from `{place.node.field}`), insert its row of"
        f" `{place.node.entity}` with a statement, which finds the right bucket, and repair the bucket's computed values",
    )


# --- archives --------------------------------------------------------------------------------------------------------


def _rows(design: Design, place: Place) -> Iterator[Check]:
    """Rows, each compared with the bounds of all archives; where values are of several types, no statement leaves one out."""
    store, entity = place.store, design.model.entity(place.node.entity)
    bounds = [(split.collection, split.rows) for split in store.collection.splits if split.rows is not None]
    names = dict.fromkeys(rows.attribute for _, rows in bounds)
    told = [column(design.model, entity.name, HOLDER, name) for name in names]
    if told and not any(each.mixed for each in told):
        yield _archived(design, place, entity, told, bounds)


def _archived(
    design: Design, place: Place, entity: Entity, told: Sequence[Column], bounds: Sequence[tuple[str, Before]]
) -> Check:
    store = place.store
    rows = holder_rows(place, told, homes_context(design, told))
    step = Where(rows.step, Not(_belongs(store, entity, bounds)), rows.layout)
    return Check(
        store.name,
        DriftKind.MISPLACED,
        store.name,
        found_read(step, place, (), values_of(rows, told)),
        (ComparedValue(", ".join(place.node.path_of(each.name) or each.name for each in told), "", FOUND),),
        next_move=f"{_where(store, bounds)}: insert the whole document there and delete it here, in one transaction",
        is_walked=store.options.kind is not CollectionKind.TIME_SERIES,
    )


def _belongs(store: StoredCollection, entity: Entity, bounds: Sequence[tuple[str, Before]]) -> Expression:
    """Whether a row belongs in the collection: in the first archive whose bound it is before, or else in none."""
    met = {name: is_before(entity.attribute(rows.attribute), rows, HOLDER) for name, rows in bounds}
    earlier = list(met)[: list(met).index(store.name)] if store.role is Role.ARCHIVE else list(met)
    own = (met[store.name],) if store.role is Role.ARCHIVE else ()
    found = conjunction(*own, *(Not(met[name]) for name in earlier))
    assert found is not None
    return found


def _where(store: StoredCollection, bounds: Sequence[tuple[str, Before]]) -> str:
    """Describe which rows belong where."""
    archives = (f"`{rows.attribute}` before {rows.value} in `{name}`" for name, rows in bounds)
    return f"rows with {', those with '.join(archives)}, all others in `{store.collection.name}`"
