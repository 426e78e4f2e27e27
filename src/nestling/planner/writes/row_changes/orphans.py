"""Children that came before their parent: they wait in the orphans collection, and move to the parent when it is there."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design import Design
from nestling.ir.model import Entity, Relationship
from nestling.ir.paths.write_path import NEW, OLD, Each, WriteStep
from nestling.ir.storage.layout import Place, Role
from nestling.planner.writes.draft.cells import Cells, column
from nestling.planner.writes.draft.fetch import equal_cells, fetch, rows_by_place, scan_of
from nestling.planner.writes.row_changes.added_rows import added
from nestling.planner.writes.row_changes.moved_rows import raw_columns
from nestling.planner.writes.row_changes.removed_rows import removed


def adopted(design: Design, entity: Entity, rows: str, attributes: frozenset[str]) -> Iterator[WriteStep]:
    """For rows of the entity that are there now, by these of their attributes, the children that wait for them.

    A foreign key the source enforces lets none wait.
    """
    for link in design.model.children_of(entity.name):
        if link.enforced or not attributes & set(link.parent_attributes):
            continue
        waiting = [place for place in design.places[link.child] if _waits(place, link)]
        if waiting:
            yield Each(rows, tuple(_moved(design, entity, link, waiting)))


def _waits(place: Place, link: Relationship) -> bool:
    store = place.store
    return (
        store.role is Role.ORPHANS
        and len(place.nodes) == 1
        and store.embedding is not None
        and store.embedding.relationship == link.name
    )


def _moved(design: Design, entity: Entity, link: Relationship, waiting: list[Place]) -> Iterator[WriteStep]:
    child, parent = design.model.entity(link.child), Cells(entity, NEW)
    scan = scan_of(child, "waiting")
    pairs = tuple(zip(link.parent_attributes, link.child_attributes, strict=True))
    equal = equal_cells(scan, {own: parent.column(theirs) for theirs, own in pairs})
    outputs = [(column(prefix, each.name), each) for prefix in (OLD, NEW) for each in scan.columns]
    for place, plan in rows_by_place(design, scan, equal, outputs, raw_columns):
        if place in waiting:
            assert place is not None
            name = f"{child.name} waiting in {place.store.name}"
            yield fetch(name, plan, [parent.column(theirs) for theirs, _ in pairs])
            yield Each(name, tuple(removed(design, place, child)))
            yield Each(name, tuple(added(design, child, Cells(child, NEW, carried=True), name)))
