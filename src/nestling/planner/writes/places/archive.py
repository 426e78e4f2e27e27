"""Rows before a point in time live in another collection: which of the collections a row belongs to."""

from __future__ import annotations

from collections.abc import Sequence

from nestling.ir.design import Design
from nestling.ir.paths.write_path import WriteStep
from nestling.ir.primitives import Split
from nestling.ir.statements.expression import Expression, Not
from nestling.ir.statements.operands import conjunction
from nestling.ir.storage.layout import Place
from nestling.planner.homes.archive_bound import is_before
from nestling.planner.writes.draft.cells import Cells
from nestling.planner.writes.places.conditional_steps import cell_types, when


def archived(
    design: Design, home: Place, split: Split, splits: Sequence[Split], row: Cells, steps: Sequence[WriteStep]
) -> tuple[WriteStep, ...]:
    """The steps when the row belongs to this archive and to none before it."""
    earlier = splits[: splits.index(split)]
    condition = conjunction(_before(row, split), *(Not(_before(row, each)) for each in earlier))
    assert condition is not None
    name = f"{home.node.entity} for {split.collection}"
    return when(design, cell_types(design, row), condition, name, steps)


def not_archived(
    design: Design, home: Place, splits: Sequence[Split], row: Cells, steps: Sequence[WriteStep]
) -> tuple[WriteStep, ...]:
    """The steps when the row belongs to no archive."""
    condition = conjunction(*(Not(_before(row, each)) for each in splits))
    assert condition is not None
    name = f"{home.node.entity} for {home.store.name}"
    return when(design, cell_types(design, row), condition, name, steps)


def _before(row: Cells, split: Split) -> Expression:
    assert split.rows is not None
    attribute = row.entity.attribute(split.rows.attribute)
    return is_before(attribute, split.rows, "row", row.column(attribute.name))
