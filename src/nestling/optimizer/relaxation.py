"""The linear relaxation of a part: a bound, usually an integral choice, and what better choices certainly have or lack."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from nestling.ir.design_problem import DesignProblem
from nestling.optimizer.formulation import formulation
from nestling.optimizer.growing_model import GrowingModel
from nestling.optimizer.highs import Outcome, Status, relax
from nestling.optimizer.linear_model import Floats, LinearModel

LARGEST = 1e4
"""The value to which the largest cost is scaled, because the solver's tolerances are absolute."""
MARGIN = 1e-9
"""How far reduced costs are trusted, as a share of the largest cost."""

INTEGRAL_WITHIN = 1e-6
"""How far from 0 or 1 a value may be to count as that."""


@dataclass(frozen=True, slots=True)
class Relaxation:
    """A part's linear model and its solution without integrality.

    `constant` is not in the model; `growing` is the part of it that was needed.
    """

    growing: GrowingModel
    constant: float
    largest: float
    outcome: Outcome

    @property
    def model(self) -> LinearModel:
        """The whole of it."""
        return self.growing.of

    @property
    def scale(self) -> float:
        """The divisor of costs for the solver."""
        return self.largest / LARGEST

    @property
    def bound(self) -> float:
        """No choice costs less."""
        return self.outcome.bound + self.constant

    @property
    def decided(self) -> Floats:
        """The value of each structure that is whole in the relaxation, NaN for the others."""
        fixed = np.full(len(self.model.cost), np.nan)
        if self.outcome.values is not None:
            values = self.outcome.values[: self.model.binary]
            whole = np.abs(values - np.rint(values)) <= INTEGRAL_WITHIN
            fixed[: self.model.binary][whole] = np.rint(values[whole])
        return fixed

    def held(self, most: float) -> Floats | None:
        """The value of each structure that no choice up to the cost `most` can have otherwise, NaN for the open ones."""
        if self.outcome.status is not Status.OPTIMAL or self.outcome.reduced_costs is None:
            return None
        slack = max(most - self.bound, 0.0) + MARGIN * self.largest
        fixed = np.full(len(self.model.cost), np.nan)
        reduced = self.outcome.reduced_costs[: self.model.binary]
        fixed[: self.model.binary][reduced > slack] = 0.0
        fixed[: self.model.binary][reduced < -slack] = 1.0
        return fixed


def relaxation(problem: DesignProblem, deadline: float) -> Relaxation:
    """Write down a weighted part and solve it without whole numbers."""
    model = formulation(problem)
    constant = sum(charge.cost for charge in problem.charges if not charge.when)
    largest = float(np.abs(model.cost).max(initial=0.0)) or 1.0
    growing = GrowingModel(model)
    outcome = relax(growing, seconds=deadline - time.perf_counter(), scale=largest / LARGEST)
    return Relaxation(growing, constant, largest, outcome)


def chosen_by(problem: DesignProblem, values: Floats) -> frozenset[str]:
    """The structures whose column is nearer to 1 than to 0."""
    pairs = zip(problem.structures, values, strict=False)
    return frozenset(structure.id for structure, value in pairs if value > 0.5)
