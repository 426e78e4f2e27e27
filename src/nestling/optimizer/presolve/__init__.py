"""Exact reductions before the solver: each makes the problem smaller or its bound tighter, and changes no best cost.

Every pass takes and gives a `Reduced`; `PASSES` is the order. All expect rates to be in the costs already (`weighted`).
"""

from nestling.ir.design_problem import DesignProblem
from nestling.optimizer.presolve.charged_steps import charged_steps
from nestling.optimizer.presolve.choices import choices
from nestling.optimizer.presolve.compression import compression
from nestling.optimizer.presolve.dominance import dominance
from nestling.optimizer.presolve.fixing import fixing
from nestling.optimizer.presolve.hoisting import hoisting
from nestling.optimizer.presolve.reduced import Reduced
from nestling.optimizer.presolve.slack_limits import slack_limits
from nestling.optimizer.presolve.weighted import weighted

PASSES = (slack_limits, fixing, choices, fixing, hoisting, dominance, fixing, charged_steps, compression, fixing)


MODES_SOLVED_AT_ONCE = 500
"""Modes of a problem that is solved in less time than it takes to find out what can be left out of it."""


def presolve(problem: DesignProblem) -> Reduced:
    """The problem made small: solving it and adding what is already chosen solves `problem`."""
    reduced = Reduced(weighted(problem))
    small = sum(len(step.modes) for step in problem.steps) <= MODES_SOLVED_AT_ONCE
    for reduction in (each for each in PASSES if not (small and each is choices)):
        reduced = reduction(reduced)
    return reduced


__all__ = ["PASSES", "presolve", "weighted"]
