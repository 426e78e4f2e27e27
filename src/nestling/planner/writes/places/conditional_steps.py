"""Steps that depend on stored data: for the current row, if a condition holds, or where the row above it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nestling.ir.design import Design
from nestling.ir.paths.write_path import Each, WriteStep
from nestling.ir.statements.algebra import Named, Project, filtered
from nestling.ir.statements.expression import ANY, Exists, Expression, Not
from nestling.ir.storage.layout import Place
from nestling.ir.types import Type
from nestling.planner.writes.draft.cells import ID, Cells, carried_column, carried_paths
from nestling.planner.writes.draft.fetch import cell, equal_cells, fetch, plan, rows_by_place, same_row, scan_of
from nestling.planner.writes.places.initial_copies import copied_fields


def cell_types(design: Design, row: Cells) -> dict[str, Type]:
    """The columns of the current row that its home needs, with their types."""
    node = design.places[row.entity.name][0].node
    carried = {carried_column(n): ANY for n in range(len(carried_paths(node)) + 1)} if row.carried else {}
    copied = {} if row.carried else {each.column: ANY for each in copied_fields(node)}
    return row.types() | carried | copied


def when(
    design: Design, types: Mapping[str, Type], condition: Expression, name: str, steps: Sequence[WriteStep]
) -> tuple[WriteStep, ...]:
    """The steps for the current row (its columns of these types) if the condition on it, as `row`, holds."""
    row = same_row(types)
    relation = Project(filtered(row, condition), "kept", tuple(Named(column.name, column) for column in row.columns))
    return (fetch(name, plan(design, relation), tuple(types)), Each(name, tuple(steps)))


def parent_place(design: Design, place: Place) -> Place:
    """The place of the row above."""
    above = place.nodes[:-1]
    return next(
        p for p in design.places[above[-1].entity] if p.copy is None and p.store == place.store and p.nodes == above
    )


def with_parent(design: Design, place: Place, row: Cells, steps: Sequence[WriteStep]) -> tuple[WriteStep, ...]:
    """The steps with `id` added, the document of the row above, when that is there."""
    above, types = parent_place(design, place), cell_types(design, row)
    scan = scan_of(design.model.entity(above.node.entity), "above")
    outputs = [(name, cell(name, kind)) for name, kind in types.items()]
    found = rows_by_place(design, scan, equal_cells(scan, _held(place, row)), outputs, lambda _: {ID: "_id"})
    made = next(each for standing, each in found if standing == above)
    name = f"{row.entity.name} into {place.store.name}.{place.path}"
    return (fetch(name, made, tuple(types)), Each(name, tuple(steps)))


def without_parent(
    design: Design, places: Sequence[Place], row: Cells, steps: Sequence[WriteStep]
) -> tuple[WriteStep, ...]:
    """The steps, run only if there is no row above."""
    place = places[0]
    scan = scan_of(design.model.entity(place.nodes[-2].entity), "above")
    missing = Not(Exists(filtered(scan, equal_cells(scan, _held(place, row)))))
    return when(design, cell_types(design, row), missing, f"{row.entity.name} alone", steps)


def _held(place: Place, row: Cells) -> dict[str, str]:
    return {implied.source: row.column(implied.attribute) for implied in place.node.implied}
