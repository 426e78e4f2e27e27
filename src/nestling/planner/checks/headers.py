"""Headers of buckets and overflow pages: whose rows they hold, which window and which page, compared with their `_id`.

Statements go by the header, which people can edit; an `_id` never changes, and is made of the same values. Where it says nothing
(an owner that is NULL, or a header others have made), the header is believed.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design import Design
from nestling.ir.drift import Check, DriftKind
from nestling.ir.paths.access_path import FieldPath, IfMissing, NullAsMissing, PathExpression, Step
from nestling.ir.paths.row_steps import Compute, Layout
from nestling.ir.primitives import BUCKET_END, BUCKET_START, PAGE, BucketWindow
from nestling.ir.statements.expression import Column
from nestling.ir.storage.layout import Node, NodeKind, Place, StoredCollection
from nestling.ir.storage.names import join, stored_name
from nestling.planner.checks.comparison import compared_read, mending_update, of_dates
from nestling.planner.homes.attribute import fresh_field
from nestling.planner.homes.place import documents_at
from nestling.planner.upkeep.bucket_window import MOMENT, window_end

_START = Column("bucket", BUCKET_START, MOMENT)


def header_checks(design: Design) -> Iterator[Check]:
    """A check for every collection of buckets or overflow pages."""
    for store in design.stores:
        for root in store.roots:
            if root.kind is NodeKind.GROUP:
                yield _check(store, root)


def _check(store: StoredCollection, root: Node) -> Check:
    place = Place(store, (root,))
    step = documents_at(place)
    told = [(field.path, _in_id(stored_name(field.attribute), field.path)) for field in root.stored]
    if root.bucket is not None and root.bucket.window is not None:
        end = fresh_field(store, BUCKET_END)
        step = _with_end(step, root.bucket.window, end)
        told += [(BUCKET_START, FieldPath(join("_id", BUCKET_START))), (BUCKET_END, NullAsMissing(FieldPath(end)))]
    told.append((PAGE, _in_id(PAGE, PAGE)))
    read, values = compared_read(step, place, (), [(path, expected, FieldPath(path)) for path, expected in told])
    return Check(store.name, DriftKind.HEADER, store.name, read, values, repair=mending_update(place, (), values))


def _in_id(name: str, path: str) -> PathExpression:
    return IfMissing(FieldPath(join("_id", name)), FieldPath(path))


def _with_end(step: Step, window: BucketWindow, field: str) -> Step:
    """The documents with the end of the window that begins as their `_id` says."""
    start = join("_id", BUCKET_START)
    layout = Layout.of({(_START.alias, _START.name): start})
    return Compute(of_dates(step, start), ((field, window_end(_START, window)),), layout)
