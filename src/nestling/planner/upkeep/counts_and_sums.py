"""Counts and sums of direct children: a child that comes, goes or moves adds to the number, or takes from it."""

from __future__ import annotations

from collections.abc import Callable

from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.paths.write_path import Cell, Constant, Increment, WriteStep, WrittenValue
from nestling.ir.primitives import Computed
from nestling.ir.rows import AggregateKind
from nestling.ir.storage.names import join
from nestling.ir.types import EXACT_NUMBERS, TypeName
from nestling.ir.upkeep import Upkeep
from nestling.planner.upkeep.change import ChangeKind, RowChange, new, old
from nestling.planner.upkeep.target import HolderTarget, target_of

Prefix = Callable[[str], str]
"""From an attribute to the column of its value before or after."""


def counted(design: Design, upkeep: Upkeep, computed: Computed, change: RowChange) -> tuple[WriteStep, ...] | None:
    """`$inc`; None where rounding, NULLs or what is left of a sum over nothing make it inexact."""
    if not is_added_to(design.model, computed, change):
        return None
    before, after = (_target(design, upkeep, computed, prefix) for prefix in (old, new))
    if before is None or after is None:
        return None
    field = join(before.path, computed.field)
    steps: list[WriteStep] = []
    if change.has_old:
        steps.append(before.update(Increment(field, _amount(computed, old), negative=True)))
    if change.has_new:
        steps.append(after.update(Increment(field, _amount(computed, new))))
    return tuple(steps)


def is_added_to(model: Model, computed: Computed, change: RowChange) -> bool:
    """Whether the change of a child is one exact increment of the number, which is kept without rounding and time stamp.

    A sum whose last row goes is NULL, and not 0; a sum of floats depends on the order.
    """
    if len(computed.path) != 1 or computed.path[0].up or computed.step != 1 or computed.stamp is not None:
        return False
    if computed.function is AggregateKind.COUNT and computed.attribute is None:
        return True
    if computed.attribute is None or computed.function not in (AggregateKind.COUNT, AggregateKind.SUM):
        return False
    child = model.entity(computed.path[0].target(model))
    attribute = child.attribute(computed.attribute)
    if attribute.nullable or attribute.type.name is TypeName.JSON:
        return False
    if computed.function is AggregateKind.COUNT:
        return True
    stays = change.kind is ChangeKind.UPDATE and not change.attributes & set(computed.path[0].far(model))
    adds = change.kind is ChangeKind.INSERT or stays
    return adds and attribute.type.name in EXACT_NUMBERS and not attribute.also


def _target(design: Design, upkeep: Upkeep, computed: Computed, prefix: Prefix) -> HolderTarget | None:
    hop, model = computed.path[0], design.model
    links: dict[str, WrittenValue] = {
        here: Cell(prefix(there)) for here, there in zip(hop.near(model), hop.far(model), strict=True)
    }
    return target_of(design, upkeep.place, links, many=False)


def _amount(computed: Computed, prefix: Prefix) -> WrittenValue:
    if computed.function is AggregateKind.COUNT:
        return Constant(1)
    return Cell(prefix(str(computed.attribute)))
