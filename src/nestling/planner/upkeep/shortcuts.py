"""Shortcuts: changes whose effect on the holders is one exact operator, a file for each kind."""

from __future__ import annotations

from nestling.ir.design import Design
from nestling.ir.paths.write_path import WriteStep
from nestling.ir.primitives import Computed, Copy, Reference
from nestling.ir.upkeep import Trigger, Upkeep
from nestling.planner.upkeep.change import RowChange
from nestling.planner.upkeep.copied_attribute import copied_attribute
from nestling.planner.upkeep.counts_and_sums import counted
from nestling.planner.upkeep.listed_ids import listed_ids
from nestling.planner.upkeep.newest import newest


def shortcut(design: Design, upkeep: Upkeep, trigger: Trigger, change: RowChange) -> tuple[WriteStep, ...] | None:
    """The steps for one row of the change, None where only a refresh is exact."""
    if len(trigger.back) != 1:
        return None
    match upkeep.what:
        case Copy() as copy:
            return copied_attribute(design, upkeep, copy, change) or newest(design, upkeep, copy, change)
        case Computed() as computed:
            return counted(design, upkeep, computed, change)
        case Reference() as reference:
            return listed_ids(design, upkeep, reference, change)
