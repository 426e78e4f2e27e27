"""One connected part, solved."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from nestling.common.errors import Problem, SearchError
from nestling.ir.design_problem import DesignProblem
from nestling.optimizer.affordable import SPREAD, affordable, largest_cost, room
from nestling.optimizer.evaluate import evaluate
from nestling.optimizer.highs import Outcome, Status, minimise
from nestling.optimizer.linear_model import Floats, LinearModel
from nestling.optimizer.plain_choice import plain_choice
from nestling.optimizer.preference import tie_limit
from nestling.optimizer.relaxation import Relaxation, chosen_by, relaxation
from nestling.optimizer.single_moves import cheaper
from nestling.optimizer.smaller import smaller
from nestling.optimizer.tie_break import preferred

GRACE_SECONDS = 15.0
"""How long to search for any choice at all if time runs out before there is one."""

ROUNDS = 3
"""How often a part is solved again without elements that turned out too expensive."""


@dataclass(frozen=True, slots=True)
class SolvedPart:
    """The best choice found for a part; `bound` is a proved lower bound of its cost."""

    chosen: frozenset[str]
    cost: float
    bound: float
    proved: bool


def solve_part(problem: DesignProblem, deadline: float, *, any_of_equals: bool = False) -> SolvedPart | None:
    """Solve a weighted, connected problem until `deadline` (of `time.perf_counter`); None if nothing is allowed.

    `any_of_equals`: any of several equally cheap choices will do.
    """
    if not problem.structures:
        found = evaluate(problem, frozenset())
        return SolvedPart(frozenset(), found.cost, found.cost, proved=True) if found is not None else None
    relaxed = relaxation(problem, deadline)
    part = _solve(problem, relaxed, deadline)
    for _ in range(ROUNDS):
        if part is None or largest_cost(problem) <= SPREAD * (most := room(problem, part.cost)):
            break
        problem = affordable(problem, most)
        relaxed = relaxation(problem, deadline)
        again = _solve(problem, relaxed, deadline)
        part = again if again is not None else part
    if part is not None and part.proved and not any_of_equals:
        chosen = preferred(problem, part.chosen, part.cost, relaxed, deadline)
        return replace(part, chosen=smaller(problem, chosen, part.cost))
    return part


def _solve(problem: DesignProblem, relaxed: Relaxation, deadline: float) -> SolvedPart | None:
    """An integral choice: the relaxation's own, or else what branching finds for the undecided rest."""
    if relaxed.outcome.status is Status.INFEASIBLE:
        return None
    first = _rounded(problem, relaxed) or _completed(problem, relaxed, deadline)
    if first is not None and first.cost <= tie_limit(first.bound):
        return replace(first, proved=True)
    outcome = _branched(relaxed, relaxed.held(first.cost) if first is not None else None, deadline)
    if outcome.status is Status.INFEASIBLE:
        return replace(first, proved=True) if first is not None else None
    if outcome.values is None and first is not None:
        return first
    chosen = chosen_by(problem, outcome.values) if outcome.values is not None else _any(problem, relaxed.model)
    if chosen is None:
        return None
    part = _part(problem, relaxed, chosen, outcome)
    return first if first is not None and first.cost < part.cost and not part.proved else part


def _branched(relaxed: Relaxation, fixed: Floats | None, deadline: float) -> Outcome:
    """The result of branching with some structures `fixed`; violated products are added to the model."""
    growing, gap = relaxed.growing, 1e-9 * abs(relaxed.constant)
    while True:
        held = fixed[growing.columns] if fixed is not None else None
        seconds = deadline - time.perf_counter()
        outcome = minimise(growing.model(), seconds=seconds, scale=relaxed.scale, absolute_gap=gap, fixed=held)
        if outcome.values is None:
            return outcome
        values = growing.whole(outcome.values)
        if growing.add(outcome.values) is None:
            return replace(outcome, values=values)


def _rounded(problem: DesignProblem, relaxed: Relaxation) -> SolvedPart | None:
    """The relaxation rounded, when that is allowed."""
    if relaxed.outcome.status is not Status.OPTIMAL or relaxed.outcome.values is None:
        return None
    chosen = chosen_by(problem, relaxed.outcome.values)
    found = evaluate(problem, chosen)
    return SolvedPart(chosen, found.cost, min(relaxed.bound, found.cost), proved=False) if found is not None else None


def _completed(problem: DesignProblem, relaxed: Relaxation, deadline: float) -> SolvedPart | None:
    """Branch only on the few structures that the relaxation leaves undecided, all others as they are."""
    if relaxed.outcome.status is not Status.OPTIMAL or relaxed.outcome.values is None:
        return None
    outcome = _branched(relaxed, relaxed.decided, deadline)
    found = evaluate(problem, chosen := chosen_by(problem, outcome.values)) if outcome.values is not None else None
    return SolvedPart(chosen, found.cost, min(relaxed.bound, found.cost), proved=False) if found is not None else None


def _part(problem: DesignProblem, relaxed: Relaxation, chosen: frozenset[str], outcome: Outcome) -> SolvedPart:
    found = evaluate(problem, chosen)
    if found is None:
        raise SearchError(
            Problem(
                what="the solver's choice violates a requirement because of rounding",
                next_move="use limits and costs of more similar size",
            )
        )
    floor = relaxed.constant + float(np.minimum(relaxed.model.cost, 0.0).sum())
    bound = min(max(outcome.bound + relaxed.constant, floor, relaxed.bound), found.cost)
    return SolvedPart(chosen, found.cost, bound, outcome.status is Status.OPTIMAL)


def _any(problem: DesignProblem, model: LinearModel) -> frozenset[str] | None:
    """An allowed choice: a plain one improved by single moves, otherwise any. None if there is none."""
    if (plain := plain_choice(problem)) is not None:
        return cheaper(problem, plain, time.perf_counter() + GRACE_SECONDS)
    outcome = minimise(replace(model, cost=np.zeros_like(model.cost)), seconds=GRACE_SECONDS)
    if outcome.values is None and outcome.status is Status.STOPPED:
        next_move = "give the search more time, or fewer statements"
        raise SearchError(Problem(what="time ran out before any design was found", next_move=next_move))
    return chosen_by(problem, outcome.values) if outcome.values is not None else None
