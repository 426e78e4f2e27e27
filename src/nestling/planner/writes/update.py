"""UPDATE: rows that stay where they are change there; where an attribute that places them changes, they go and come again."""

from __future__ import annotations

from collections.abc import Mapping

from nestling.ir.algebra import Scan
from nestling.ir.expression import Column, Expression, nullable
from nestling.ir.layout import NodeKind, Place
from nestling.ir.model import Entity, Relationship
from nestling.ir.names import join
from nestling.ir.write_path import Each, Fetch
from nestling.planner.upkeep import ChangeKind
from nestling.planner.writes import foreign_keys, listed
from nestling.planner.writes.cells import ID, NEW, OLD, Cells, carried_column, carried_paths, column
from nestling.planner.writes.change import follow
from nestling.planner.writes.constraints import refuse_no_parent, refuse_nulls, refuse_several, unguarded
from nestling.planner.writes.fetch import Outputs, rows_by_place
from nestling.planner.writes.home_copies import refuse_copied_home, refuse_home_copies
from nestling.planner.writes.homes import added, changed, placing, removed
from nestling.planner.writes.work import Phase, Work

Assignments = Mapping[str, Expression]


def update_rows(
    work: Work,
    scan: Scan,
    assignments: Assignments,
    predicate: Expression | None,
    *,
    along: Relationship | None = None,
    counted: bool = False,
    moves: bool = False,
) -> None:
    """Plan new values for the rows of the scan for which the predicate is true.

    `along`: a relationship whose parents' keys change: rows inside these parents' documents need no steps of their own.
    `moves`: the rows must go and come again even where no attribute changes, as their parents go.
    """
    design, entity = work.design, work.model.entity(scan.entity)
    attributes = frozenset(a for a, value in assignments.items() if not _is_same(scan, a, value))
    refuse_copied_home(design, entity.name)
    refuse_home_copies(design, entity.name, attributes)
    found = rows_by_place(design, scan, predicate, _outputs(scan, assignments), raw_columns)
    foreign_keys.before_update(work, scan, assignments, predicate, attributes)
    for place, plan in found:
        assert place is not None, "a home of copies is refused before"
        if moves and not (foreign_keys.is_inside(place, along) and attributes == frozenset()):
            continue
        name = work.name(f"{entity.name} in {join(place.store.name, place.path)}")
        work.add(Phase.FETCH, [Fetch(name, plan)])
        if counted:
            work.counted.append(name)
        refuse_nulls(work, entity, [a for a in sorted(attributes) if nullable(assignments[a])], name)
        goes = bool(attributes & placing(design, place)) or moves
        rides = along is not None and not moves and foreign_keys.is_inside(place, along)
        if not rides:
            _planned(work, place, entity, attributes, name, goes=goes)
        listed_before = Cells(entity, OLD)
        listed.leave(work, listed_before, name, attributes)
        listed.enter(work, Cells(entity, NEW), name, attributes)
        _checked(work, entity, attributes, name)
        follow(work, entity, ChangeKind.UPDATE, name, attributes)


def _planned(work: Work, place: Place, entity: Entity, attributes: frozenset[str], name: str, *, goes: bool) -> None:
    before, after = Cells(entity, OLD), Cells(entity, NEW, carried=True)
    if goes:
        work.add(Phase.REMOVE, [Each(name, tuple(removed(work.design, place, entity)))])
        work.add(Phase.ADD, [Each(name, tuple(added(work.design, entity, after, name)))])
        return
    steps = tuple(changed(work.design, place, before, Cells(entity, NEW), attributes))
    if steps:
        work.add(Phase.CHANGE, [Each(name, steps)])


def _checked(work: Work, entity: Entity, attributes: frozenset[str], name: str) -> None:
    design, after = work.design, Cells(entity, NEW)
    groups = [group for group in unguarded(design, entity) if attributes & set(group)]
    steps = [*refuse_several(design, after, groups)]
    for link in work.model.parents_of(entity.name):
        if link.enforced and attributes & set(link.child_attributes):
            steps += refuse_no_parent(design, after, link)
    if steps:
        work.add(Phase.CHECK, [Each(name, tuple(steps))])


def _outputs(scan: Scan, assignments: Assignments) -> Outputs:
    before = [(column(OLD, c.name), c) for c in scan.columns]
    after = [(column(NEW, c.name), assignments.get(c.name, c)) for c in scan.columns]
    return [*before, *after]


def raw_columns(place: Place) -> dict[str, str]:
    """The `_id` of the document, and what the row takes along when it moves."""
    paths = list(carried_paths(place.node))
    variant = place.store.collection.variant
    if variant is not None and variant.subtypes and place.node.kind is NodeKind.ROOT:
        paths.append(variant.discriminator)
    carried = {carried_column(n): join(place.path, path) for n, path in enumerate(paths)}
    return {ID: "_id"} | carried


def _is_same(scan: Scan, attribute: str, value: Expression) -> bool:
    return isinstance(value, Column) and (value.alias, value.name) == (scan.alias, attribute)
