"""DELETE: removes rows from their homes, after handling the rows that refer to them as the foreign keys say."""

from __future__ import annotations

from nestling.ir.paths.write_path import OLD, Fetch
from nestling.ir.storage.names import join
from nestling.planner.upkeep import ChangeKind
from nestling.planner.writes.draft.cells import ID, Cells, column
from nestling.planner.writes.draft.fetch import rows_by_place
from nestling.planner.writes.draft.phases import WritePhase
from nestling.planner.writes.draft.write_draft import WriteDraft
from nestling.planner.writes.foreign_keys.effects import Effect
from nestling.planner.writes.places.home_copies import refuse_copied_home, refuse_home_copies
from nestling.planner.writes.places.placing import is_paged
from nestling.planner.writes.places.rows_inside import is_inside, nested
from nestling.planner.writes.returning import count_and_return
from nestling.planner.writes.row_changes import listed_ids as listed
from nestling.planner.writes.row_changes.of_one_document import each_row
from nestling.planner.writes.row_changes.removed_rows import removed
from nestling.planner.writes.row_set_upkeep import add_upkeep


def delete_from_entity(work: WriteDraft, effect: Effect, *, own: bool) -> None:
    """Plan the deletion of the effect's rows. With `own`, the first of its sets is the statement's."""
    scan, design = effect.scan, work.design
    entity = work.model.entity(scan.entity)
    if effect.deletes:
        refuse_copied_home(design, entity.name)
        refuse_home_copies(design, entity.name, frozenset(entity.attribute_names))
    if (
        effect.deletes
        and any(map(is_paged, design.places[entity.name]))
        and nested(design, entity.name) & work.changed_entities
    ):
        work.end_changes()  # those that stay are put onto other pages, and take along what has changed in them
    row = Cells(entity, OLD)
    outputs = [(column(OLD, each.name), each) for each in scan.columns]
    for number, delete in enumerate(effect.deletes_once_each(work)):
        work.refuse_read_again(delete.predicate)
        for place, plan in rows_by_place(design, scan, delete.predicate, outputs, lambda _: {ID: "_id"}, work.prices):
            assert place is not None, "a home of copies is refused before"
            name = work.name(f"{entity.name} in {join(place.store.name, place.path)}")
            work.add(WritePhase.FETCH, [Fetch(name, plan)])
            if own and number == 0:
                count_and_return(work, entity, OLD, name)
            listed.leave(work, row, name, frozenset(entity.attribute_names))
            if not is_inside(place, delete.along):
                work.add(WritePhase.REMOVE, [each_row(name, removed(design, place, entity), row)])
                work.changed_entities.add(entity.name)
            add_upkeep(work, entity, ChangeKind.DELETE, name)
