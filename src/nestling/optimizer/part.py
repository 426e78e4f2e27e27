"""One connected part, solved."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from nestling.common import errors
from nestling.ir.options import Problem
from nestling.optimizer.affordable import SPREAD, affordable, largest_cost, room
from nestling.optimizer.evaluate import evaluate
from nestling.optimizer.formulation import formulation
from nestling.optimizer.highs import Status, minimise
from nestling.optimizer.rows import Floats, LinearModel
from nestling.optimizer.tie_break import preferred

LARGEST = 1e4
"""What the largest cost is scaled to: the solver's tolerances are absolute."""

GRACE_SECONDS = 5.0
"""How long to look for any choice at all when the time is up before there is one."""

ROUNDS = 3
"""How often a part is solved again without what turned out too dear."""


@dataclass(frozen=True, slots=True)
class Part:
    """The best choice found for a part; `bound` is a proved lower bound of its cost."""

    chosen: frozenset[str]
    cost: float
    bound: float
    proved: bool


def solve_part(problem: Problem, deadline: float) -> Part | None:
    """Solve a weighted, connected problem until `deadline` (of `time.perf_counter`); None when nothing is allowed."""
    if not problem.structures:
        found = evaluate(problem, frozenset())
        return Part(frozenset(), found.cost, found.cost, proved=True) if found is not None else None
    part = _solve(problem, deadline)
    for _ in range(ROUNDS):
        if part is None or largest_cost(problem) <= SPREAD * (most := room(problem, part.cost)):
            break
        problem = affordable(problem, most)
        again = _solve(problem, deadline)
        part = again if again is not None else part
    if part is not None and part.proved:
        return replace(part, chosen=preferred(problem, part.chosen, part.cost, deadline))
    return part


def _solve(problem: Problem, deadline: float) -> Part | None:
    model = formulation(problem)
    constant = sum(charge.cost for charge in problem.charges if not charge.when)
    scale = (float(np.abs(model.cost).max(initial=0.0)) or 1.0) / LARGEST
    outcome = minimise(model, seconds=deadline - time.perf_counter(), scale=scale, absolute_gap=1e-9 * abs(constant))
    if outcome.status is Status.INFEASIBLE:
        return None
    values = outcome.values if outcome.values is not None else _any_values(model)
    if values is None:
        return None
    chosen = frozenset(
        structure.id for structure, value in zip(problem.structures, values, strict=False) if value > 0.5
    )
    found = evaluate(problem, chosen)
    if found is None:
        raise errors.SearchError(
            errors.Problem(
                what="the solver's choice breaks a requirement by rounding",
                next_move="give the limits and costs numbers of more similar size",
            )
        )
    floor = constant + float(np.minimum(model.cost, 0.0).sum())
    bound = min(max(outcome.bound + constant, floor), found.cost)
    return Part(chosen, found.cost, bound, outcome.status is Status.OPTIMAL)


def _any_values(model: LinearModel) -> Floats | None:
    """Some allowed choice, whatever it costs; None when there is none."""
    outcome = minimise(replace(model, cost=np.zeros_like(model.cost)), seconds=GRACE_SECONDS)
    if outcome.values is None and outcome.status is Status.STOPPED:
        next_move = "give the search more time, or fewer statements"
        raise errors.SearchError(
            errors.Problem(what="the time was up before any design was found", next_move=next_move)
        )
    return outcome.values
