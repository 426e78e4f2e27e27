"""Refresh: read what is implied for some holders, and store it there."""

from __future__ import annotations

from collections.abc import Mapping

from nestling.ir.design import Design
from nestling.ir.paths.write_path import Cell, DocumentChange, Each, Fetch, FieldMatch, Set, UpdateDocuments, WriteStep
from nestling.ir.primitives import Computed
from nestling.ir.storage.names import join
from nestling.ir.upkeep import Upkeep
from nestling.planner.upkeep.holder import ID, changed_path, element_filters
from nestling.planner.upkeep.implied import NOW, ExpectedRead, implied_read


def refresh_steps(
    upkeep: Upkeep, design: Design, given: Mapping[str, str], rows: str, *, is_identity: bool = False
) -> tuple[WriteStep, ...]:
    """The steps for the holders whose attributes are columns of the current row (`given`); for all holders if nothing is given.

    `rows` is the name of the holders; `is_identity` as in `implied`.
    """
    found = implied_read(upkeep, design, tuple(given), is_identity=is_identity)
    cells = tuple((parameter, given[attribute]) for attribute, parameter in found.parameters)
    return Fetch(rows, found.plan, cells), Each(rows, (stored(found),))


def stored(found: ExpectedRead) -> UpdateDocuments:
    """The change that makes a holder hold what is implied; cells are those of its row."""
    upkeep, place = found.upkeep, found.upkeep.place
    at = changed_path(place, found.locators)
    changes: list[DocumentChange] = [Set(join(at, path), Cell(column)) for path, column in found.values]
    if isinstance(upkeep.what, Computed) and upkeep.what.stamp is not None:
        changes.append(Set(join(at, upkeep.what.stamp), Cell(NOW)))
    where = (FieldMatch("_id", Cell(ID)),)
    return UpdateDocuments(place.store.name, where, tuple(changes), element_filters(place, found.locators))
