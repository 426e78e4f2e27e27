"""Parts split off from rows: a part needs a row with its `_id`, and a pointer needs its GridFS file."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design import Design
from nestling.ir.drift import Check, ComparedValue, DriftKind, PathStep
from nestling.ir.paths.access_path import CollectionScan, FieldHasValue, FieldPath, FilterDocuments, Step
from nestling.ir.storage.layout import Place, Role, StoredCollection
from nestling.ir.storage.names import join
from nestling.planner.checks.comparison import FOUND, found_read, without_match
from nestling.planner.checks.screens import unmatched_ids
from nestling.planner.homes.attribute import file_split, fresh_field
from nestling.planner.homes.place import documents_at

_OF_ROWS = (Role.HOME, Role.ARCHIVE)


def part_checks(design: Design) -> Iterator[Check]:
    """A check for every collection of split-off attributes, and for every attribute that is kept in files."""
    for store in design.stores:
        if store.role is Role.PART:
            yield _part(design, store)
        for root in store.roots:
            place = Place(store, (root,))
            for field in root.stored:
                split = file_split(place, field.attribute)
                if split is not None:
                    yield _file(place, field.path, split.collection)


def _part(design: Design, store: StoredCollection) -> Check:
    """Find parts whose row is in none of its possible collections."""
    homes = [each.name for each in design.stores if each.collection == store.collection and each.role in _OF_ROWS]
    step: Step = CollectionScan(store.name)
    for home in homes:
        step = without_match(step, "_id", home, fresh_field(store, f"in {home}"))
    entity = store.roots[0].entity
    return Check(
        f"{store.name} → {store.collection.name}",
        DriftKind.DANGLING,
        store.name,
        found_read(step, Place(store, store.roots), (), FieldPath("_id")),
        (ComparedValue("_id", "", FOUND),),
        next_move=f"restore the row of `{entity}` it was split from, or delete it as well",
        screen=unmatched_ids(store.name, homes),
        is_unread=True,
    )


def _file(place: Place, path: str, bucket: str) -> Check:
    """Pointers to a file that is not there."""
    pointer, files = join(path, "gridfs"), f"{bucket}.files"
    pointing = FilterDocuments(documents_at(place), FieldHasValue(pointer))
    step = without_match(pointing, pointer, files, fresh_field(place.store, f"in {files}"))
    return Check(
        f"{join(place.store.name, path)} → {files}",
        DriftKind.DANGLING,
        place.store.name,
        found_read(step, place, (), FieldPath(pointer)),
        (ComparedValue("gridfs", "", FOUND),),
        (PathStep(path),),
        next_move=f"restore the file in the GridFS bucket `{bucket}`, or remove the pointer `{path}` as well",
    )
