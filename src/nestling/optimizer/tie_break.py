"""The second solve: of the choices that cost the same, the preferred one."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from nestling.ir.design_problem import DesignProblem
from nestling.optimizer.equal_moves import equal_moves
from nestling.optimizer.evaluate import evaluate
from nestling.optimizer.highs import Status, minimise
from nestling.optimizer.linear_model import Floats, LinearModel
from nestling.optimizer.preference import preference, tie_limit
from nestling.optimizer.relaxation import Relaxation, chosen_by

OPEN = 300
"""Structures that a second solve decides in about a second. It is harder than the first, as its objective is not the cost."""


def preferred(
    problem: DesignProblem, chosen: frozenset[str], cost: float, relaxed: Relaxation, deadline: float
) -> frozenset[str]:
    """The preferred choice among those no more expensive than the proved best `cost`, or the best known when time is up.

    Structures that the linear bound proves to cost more are fixed first; usually few remain, and a second solve decides them.
    If more than `OPEN` do, single moves without cost must be enough.
    """
    chosen = equal_moves(problem, chosen, extra_cost=tie_limit(cost) - cost)
    model, limit = relaxed.model, tie_limit(cost) - relaxed.constant
    fixed = relaxed.held(tie_limit(cost))
    if fixed is None or not 0 < np.isnan(fixed[: model.binary]).sum() <= OPEN:
        return chosen
    scale = max(abs(limit), abs(cost)) or 1.0
    tied = replace(model.with_row(model.cost / scale, upper=limit / scale), cost=_preference_costs(problem, model))
    outcome = minimise(tied, seconds=deadline - time.perf_counter(), fixed=fixed, absolute_gap=0.5)
    if outcome.status is not Status.OPTIMAL or outcome.values is None:
        return chosen
    candidate = chosen_by(problem, outcome.values)
    found = evaluate(problem, candidate)
    tied_still = found is not None and found.cost <= tie_limit(tie_limit(cost))
    return candidate if tied_still and preference(problem, candidate) < preference(problem, chosen) else chosen


def _preference_costs(problem: DesignProblem, model: LinearModel) -> Floats:
    """Weight first, then change: one structure of weight outweighs all changes."""
    first = len(problem.structures) + 1
    costs = np.zeros(len(model.cost))
    for place, structure in enumerate(problem.structures):
        costs[place] = structure.weight * first + (-1.0 if structure.in_place else 1.0)
    return costs
