"""UPDATE: rows that stay where they are change there; where an attribute that places them changes, they go and come again."""

from __future__ import annotations

from nestling.ir.model import Entity
from nestling.ir.paths.write_path import NEW, OLD, Each, Fetch
from nestling.ir.statements.algebra import Scan
from nestling.ir.statements.expression import NULL
from nestling.ir.statements.operands import nullable
from nestling.ir.storage.layout import Place
from nestling.ir.storage.names import join
from nestling.ir.types import TypeName
from nestling.planner.upkeep import ChangeKind, EmptiedCopy, RowChange, emptied
from nestling.planner.writes.constraints import refuse_nulls, refuse_several, unguarded
from nestling.planner.writes.draft.cells import Cells, column
from nestling.planner.writes.draft.fetch import Outputs, rows_by_place
from nestling.planner.writes.draft.gaps import write_gap
from nestling.planner.writes.draft.phases import WritePhase
from nestling.planner.writes.draft.write_draft import WriteDraft
from nestling.planner.writes.foreign_keys.effects import Assignments, RowUpdate
from nestling.planner.writes.foreign_keys.parent_locks import held_parent, is_to_be_held
from nestling.planner.writes.places.home_copies import refuse_copied_home, refuse_home_copies
from nestling.planner.writes.places.placing import is_paged, placing
from nestling.planner.writes.places.rows_inside import is_embedded_along, is_inside, nested
from nestling.planner.writes.returning import count_and_return
from nestling.planner.writes.row_changes import listed_ids as listed
from nestling.planner.writes.row_changes import overflow
from nestling.planner.writes.row_changes.added_rows import added
from nestling.planner.writes.row_changes.changes_in_place import changes_in_place
from nestling.planner.writes.row_changes.moved_rows import raw_columns
from nestling.planner.writes.row_changes.of_one_document import each_row
from nestling.planner.writes.row_changes.orphans import adopted
from nestling.planner.writes.row_changes.removed_rows import removed
from nestling.planner.writes.row_set_upkeep import add_upkeep
from nestling.planner.writes.single_command.plain_conditions import is_given
from nestling.planner.writes.unindexed_uniques import conflicts_of_groups, refuse_some


def update_entity(work: WriteDraft, scan: Scan, update: RowUpdate, *, own: bool) -> None:
    """Plan new values for an entity's rows, and moves to other places if their place changes; `own`: the statement's."""
    design, entity = work.design, work.model.entity(scan.entity)
    attributes = frozenset(update.values)
    refuse_copied_home(design, entity.name)
    refuse_home_copies(design, entity.name, attributes)
    _close_changes(work, update, entity)
    work.refuse_read_again(update.predicate, *update.values.values())

    def raw(place: Place) -> dict[str, str]:
        return raw_columns(place, moves=_moves(work, place, update) or is_paged(place))

    for place, plan in rows_by_place(design, scan, update.predicate, _outputs(scan, update.values), raw, work.prices):
        assert place is not None, "a home of copies is refused before"
        if not attributes and not is_embedded_along(place, update.out_of) and not own:
            continue
        name = work.name(f"{entity.name} in {join(place.store.name, place.path)}")
        work.add(WritePhase.FETCH, [Fetch(name, plan)])
        if own:
            count_and_return(work, entity, NEW, name)
        refuse_nulls(work, entity, [a for a in sorted(attributes) if nullable(update.values[a])], name)
        lost = _change_home(work, place, entity, update, name)
        listed.leave(work, Cells(entity, OLD), name, attributes)
        listed.enter(work, Cells(entity, NEW), name, attributes)
        work.add(WritePhase.SETTLE, adopted(design, entity, name, attributes))
        _check_constraints(work, entity, update.values, name)
        held = [each.copy for each in lost]
        add_upkeep(work, entity, ChangeKind.UPDATE, name, attributes, filled=held, copied=held)


def _moves(work: WriteDraft, place: Place, update: RowUpdate) -> bool:
    """Whether rows at the place go and come again."""
    return is_embedded_along(place, update.out_of) or bool(frozenset(update.values) & placing(work.design, place))


def _close_changes(work: WriteDraft, update: RowUpdate, entity: Entity) -> None:
    """Read rows that carry others with them after these have changed, so that they do not carry old versions."""
    places = [place for place in work.design.places[entity.name] if place.copy is None]
    goes = any(_moves(work, place, update) and not is_inside(place, update.along) for place in places)
    listed_inside = {
        link.child
        for link in work.model.children_of(entity.name)
        if link in listed.listed_links(work.design, link.child)
    }
    if goes and (nested(work.design, entity.name) | listed_inside) & work.changed_entities:
        for link in listed.listed_links(work.design, entity.name):
            if link.parent in work.changed_entities:
                what = f"`{entity.name}` that move with changes of their `{link.parent}`, which alone refer to them ({link.name})"
                raise write_gap(what)
        work.end_changes()


def _change_home(
    work: WriteDraft, place: Place, entity: Entity, update: RowUpdate, name: str
) -> tuple[EmptiedCopy, ...]:
    """Returns the copies that are taken away with the change."""
    lost: tuple[EmptiedCopy, ...] = ()
    if is_inside(place, update.along):
        return lost
    design, attributes = work.design, frozenset(update.values)
    before, after = Cells(entity, OLD), Cells(entity, NEW, carried=True)
    if is_paged(place) and is_embedded_along(place, update.along):
        work.add(WritePhase.REMOVE, [Each(name, tuple(overflow.page_left(place)))])
        work.add(WritePhase.ADD, [Each(name, tuple(overflow.page_entered(design, place, after)))])
    elif _moves(work, place, update):
        work.add(WritePhase.REMOVE, [each_row(name, removed(design, place, entity), before)])
        work.add_first(WritePhase.ADD, [Each(name, tuple(added(design, entity, after, name)))])
    else:
        lost = emptied(design, place, RowChange(entity.name, ChangeKind.UPDATE, name, attributes), update.values)
        nulls = [name for name, value in update.values.items() if value == NULL]
        steps = tuple(changes_in_place(design, place, before, Cells(entity, NEW), attributes, lost, nulls))
        if not steps:
            return lost
        work.add(WritePhase.CHANGE, [each_row(name, steps, before, _own(entity, update.values))])
    work.changed_entities.add(entity.name)
    return lost


def _own(entity: Entity, values: Assignments) -> tuple[str, ...]:
    """The columns with an individual new value per row; none if there is JSON, whose null a list does not keep."""
    if any(entity.attribute(name).type.name is TypeName.JSON for name in values):
        return ()
    return tuple(column(NEW, name) for name, value in values.items() if not is_given(value))


def _check_constraints(work: WriteDraft, entity: Entity, values: Assignments, name: str) -> None:
    design, after, attributes = work.design, Cells(entity, NEW), frozenset(values)
    groups = [group for group in unguarded(design, entity) if attributes & set(group)]
    steps = [
        *conflicts_of_groups(design, after, groups),
        *refuse_several(design, after, groups),
        *refuse_some(design, after, attributes),
    ]
    if steps:
        work.add(WritePhase.CHECK, [Each(name, tuple(steps))])
    for link in work.model.parents_of(entity.name):
        if is_to_be_held(link, values):
            parents = tuple(after.column(name) for name in link.child_attributes)
            work.add(WritePhase.CHECK, [Each(name, tuple(held_parent(design, after, link)), by=parents)])


def _outputs(scan: Scan, assignments: Assignments) -> Outputs:
    before = [(column(OLD, c.name), c) for c in scan.columns]
    after = [(column(NEW, c.name), assignments.get(c.name, c)) for c in scan.columns]
    return [*before, *after]
