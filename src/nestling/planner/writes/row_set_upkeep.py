"""Adds the upkeep of a row set: the steps that keep the copies of its rows right."""

from __future__ import annotations

from collections.abc import Collection

from nestling.ir.model import Entity
from nestling.ir.upkeep import Derived
from nestling.planner.upkeep import ChangeKind, RowChange, upkeep_steps
from nestling.planner.writes.draft.phases import WritePhase
from nestling.planner.writes.draft.write_draft import WriteDraft


def add_upkeep(
    work: WriteDraft,
    entity: Entity,
    kind: ChangeKind,
    rows: str,
    attributes: frozenset[str] = frozenset(),
    *,
    filled: Collection[Derived] = (),
    copied: Collection[Derived] = (),
) -> None:
    """Add the upkeep of what follows from the rows' change; new rows hold what is `filled` and `copied` already."""
    if kind is ChangeKind.UPDATE and not attributes:
        return
    found = upkeep_steps(work.design, RowChange(entity.name, kind, rows, attributes), filled=filled, copied=copied)
    work.add(WritePhase.UPKEEP, found.steps)
    work.left.extend(found.left)
