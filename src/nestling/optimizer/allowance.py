"""How much further solves may cost, counted in modes, so that the result does not depend on the machine.

Time is the last resort only: an allowance says whether it was the time that ran out.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from nestling.ir.design_problem import DesignProblem
from nestling.optimizer.corrections import Corrections
from nestling.optimizer.solved_parts import SolvedParts

LEAST_MODES = 200
"""Modes that a solve counts for at least: it takes some time however small the problem is."""


@dataclass(slots=True)
class Allowance:
    """The remaining allowance: `modes`, and the time until `deadline` (of `time.perf_counter`).

    `solved` and `corrections` hold what several solves can share.
    """

    deadline: float
    modes: float = float("inf")
    time_was_up: bool = False
    solved: SolvedParts = field(default_factory=SolvedParts)
    corrections: Corrections = field(default_factory=Corrections)

    def take(self, problem: DesignProblem) -> float | None:
        """The seconds that one solve of the problem may take; None if the allowance is used up."""
        if not self.suffices(problem):
            return None
        self.modes -= _size(problem)
        return self.deadline - time.perf_counter()

    def suffices(self, problem: DesignProblem) -> bool:
        """Whether one more solve of the problem is allowed."""
        if time.perf_counter() >= self.deadline:
            self.time_was_up = True
            return False
        return _size(problem) <= self.modes


def _size(problem: DesignProblem) -> int:
    return max(sum(len(step.modes) for step in problem.steps), LEAST_MODES)


def allowance(
    seconds: float = 60.0, *, modes: float = float("inf"), corrections: Corrections | None = None
) -> Allowance:
    """An allowance of so many seconds from now on."""
    return Allowance(time.perf_counter() + seconds, modes, corrections=corrections or Corrections())
