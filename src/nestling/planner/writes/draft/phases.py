"""The phases of one part of a write, and the steps in each."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import TypeAlias

from nestling.ir.paths.write_path import Each, Fetch, WriteStep, steps_within

PhaseSteps: TypeAlias = tuple[WriteStep, ...]
"""Steps of a write in their order, to which no more are added."""


class WritePhase(IntEnum):
    """What happens when."""

    FETCH = 0
    REFUSE = 1
    REMOVE = 2
    CHANGE = 3
    ADD = 4
    SETTLE = 5  # what follows from rows that came or went: orphans, copies that are homes
    CHECK = 6
    UPKEEP = 7
    ANSWER = 8


CHANGES = (WritePhase.FETCH, WritePhase.REFUSE, WritePhase.REMOVE, WritePhase.CHANGE)
"""The phases after which all that goes has gone, and all that changes where it lies has changed."""


class Phases:
    """The steps planned for each phase of the current part."""

    def __init__(self) -> None:
        self._steps: dict[WritePhase, list[WriteStep]] = {phase: [] for phase in WritePhase}

    def add(self, phase: WritePhase, steps: Iterable[WriteStep]) -> None:
        """Steps after those of the phase that are there."""
        self._steps[phase].extend(steps)

    def add_first(self, phase: WritePhase, steps: Iterable[WriteStep]) -> None:
        """Steps before those of the phase that are there."""
        self._steps[phase][:0] = steps

    def take(self, phases: Iterable[WritePhase] = WritePhase) -> PhaseSteps:
        """The steps of these phases in order; afterwards the phases are empty.

        Upkeep that adds to stored values comes before upkeep that reads the homes again, so that the latter's result stands.
        """
        taken: list[WriteStep] = []
        for phase in phases:
            steps, self._steps[phase] = self._steps[phase], []
            taken += sorted(steps, key=_reads) if phase is WritePhase.UPKEEP else steps
        return tuple(taken)


def _reads(step: WriteStep) -> bool:
    """Whether there is a fetch in it."""
    inside = step.steps if isinstance(step, Each) else ()
    return isinstance(step, Fetch) or any(isinstance(each, Fetch) for each in steps_within(inside))
