"""DELETE: rows leave their homes, after what their foreign keys say has been done to those that refer to them."""

from __future__ import annotations

from nestling.ir.algebra import Scan
from nestling.ir.expression import Expression
from nestling.ir.model import Relationship
from nestling.ir.names import join
from nestling.ir.write_path import Each, Fetch
from nestling.planner.upkeep import ChangeKind
from nestling.planner.writes import foreign_keys, listed
from nestling.planner.writes.cells import ID, OLD, Cells, column
from nestling.planner.writes.change import follow
from nestling.planner.writes.fetch import rows_by_place
from nestling.planner.writes.home_copies import refuse_copied_home, refuse_home_copies
from nestling.planner.writes.homes import removed
from nestling.planner.writes.work import Phase, Work


def delete_rows(
    work: Work,
    scan: Scan,
    predicate: Expression | None,
    *,
    along: Relationship | None = None,
    tree: Relationship | None = None,
    counted: bool = False,
) -> None:
    """Plan that the rows of the scan go for which the predicate is true.

    `along`: a relationship whose parents go: rows inside their documents go with them. `tree`: a relationship that has been
    followed down to these rows.
    """
    design, entity = work.design, work.model.entity(scan.entity)
    row = Cells(entity, OLD)
    refuse_copied_home(design, entity.name)
    refuse_home_copies(design, entity.name, frozenset(entity.attribute_names))
    outputs = [(column(OLD, each.name), each) for each in scan.columns]
    found = rows_by_place(design, scan, predicate, outputs, lambda _: {ID: "_id"})
    foreign_keys.before_delete(work, scan, predicate, tree)
    for place, plan in found:
        assert place is not None, "a home of copies is refused before"
        name = work.name(f"{entity.name} in {join(place.store.name, place.path)}")
        work.add(Phase.FETCH, [Fetch(name, plan)])
        if counted:
            work.counted.append(name)
        listed.leave(work, row, name, frozenset(entity.attribute_names))
        if along is None or not foreign_keys.is_inside(place, along):
            work.add(Phase.REMOVE, [Each(name, tuple(removed(design, place, entity)))])
        follow(work, entity, ChangeKind.DELETE, name)
