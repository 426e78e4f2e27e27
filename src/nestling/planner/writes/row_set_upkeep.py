"""What follows from a row set: the upkeep of all that is kept of its rows elsewhere.

Operators that add to what is there come before what reads the homes again, whichever row set they are for: reading has the
last word.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from nestling.ir.model import Entity
from nestling.ir.upkeep import Derived
from nestling.ir.write_path import Each, Fetch, WriteStep, steps_within
from nestling.planner.upkeep import ChangeKind, RowChange, upkeep_steps
from nestling.planner.writes.draft import Phase, WriteDraft


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
    work.add(Phase.UPKEEP, found.steps)
    work.left.extend(found.left)


def with_reads_last(steps: Iterable[WriteStep]) -> list[WriteStep]:
    """Steps without a fetch first."""
    return sorted(steps, key=reads)


def reads(step: WriteStep) -> bool:
    """Whether there is a fetch in it."""
    inside = step.steps if isinstance(step, Each) else ()
    return isinstance(step, Fetch) or any(isinstance(each, Fetch) for each in steps_within(inside))
