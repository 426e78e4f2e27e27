"""The search: reduce the problem, split it, solve each part, evaluate the choice on the original problem."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from math import fsum

from nestling.common.collector import no_cycle_search
from nestling.ir.design_problem import DesignProblem, Limit, Solution
from nestling.optimizer.affordable import LAST_DIGITS
from nestling.optimizer.budget import with_limits
from nestling.optimizer.components import components, structures_touched
from nestling.optimizer.conflict import conflict
from nestling.optimizer.evaluate import evaluate, holds
from nestling.optimizer.part import SolvedPart
from nestling.optimizer.presolve import presolve
from nestling.optimizer.problem_check import check_problem
from nestling.optimizer.solved_parts import SolvedParts

PROVED_GAP = 1e-6
"""The relative gap up to which a solution counts as proved optimal."""
NEGLIGIBLE_COST = 1e-12
"""Seconds per second that count as nothing: a gap below this is no gap."""


def solve(
    problem: DesignProblem,
    *,
    limit_seconds: float = 60.0,
    budgets: Iterable[Limit] = (),
    any_of_equals: bool = False,
    solved: SolvedParts | None = None,
) -> Solution:
    """The least-cost choice; among equals the one with fewest structures, then with the least change.

    If time runs out, the result is the best so far with its gap, and `proved` is False. Raises `InfeasibleError` that names a
    minimal set of requirements which cannot hold together, and `SearchError` if time runs out before any design is found, or
    the problem mentions structures that do not exist. `any_of_equals`: any of several equally cheap choices will do. `solved`
    keeps parts for similar problems.
    """
    limited = with_limits(problem, budgets)
    check_problem(limited)
    solution = attempt(limited, limit_seconds=limit_seconds, any_of_equals=any_of_equals, solved=solved)
    if solution is None:
        raise conflict(limited)
    return solution


@no_cycle_search()
def attempt(
    problem: DesignProblem, *, limit_seconds: float, any_of_equals: bool = False, solved: SolvedParts | None = None
) -> Solution | None:
    """Solve as `solve` does, but return None if no design is allowed: finding out why takes longer than the search."""
    started = time.perf_counter()
    reduced = presolve(problem)
    parts = solve_parts(reduced.problem, started + limit_seconds, any_of_equals=any_of_equals, solved=solved)
    if parts is None:
        return None
    chosen = reduced.chosen.union(*(part.chosen for part in parts))
    found = evaluate(problem, chosen)
    assert found is not None, "the reductions are exact"
    bound = fsum(part.bound for part in parts)
    if is_proved(bound, found.cost):  # above the cost by rounding at most: more is a mistake, and stays to be seen
        bound = min(bound, found.cost)
    proved = all(part.proved for part in parts) and is_proved(found.cost, bound)
    if not proved:  # what is the least cost is summed up in another order
        bound -= LAST_DIGITS * fsum(abs(part.bound) for part in parts)
    return Solution(chosen, found.modes, found.cost, bound, time.perf_counter() - started, proved)


def is_proved(cost: float, bound: float) -> bool:
    """Whether a cost is as low as a bound, within tolerance."""
    return cost - bound <= max(PROVED_GAP * abs(cost), NEGLIGIBLE_COST)


def solve_parts(
    problem: DesignProblem, deadline: float, *, any_of_equals: bool = False, solved: SolvedParts | None = None
) -> list[SolvedPart] | None:
    """Solve a reduced problem part by part; None if a part has no allowed choice.

    Limits over several parts are added only when a choice breaks them: until then the parts are solved separately.
    """
    local, spanning = _by_reach(problem)
    active: tuple[Limit, ...] = ()
    solved = SolvedParts() if solved is None else solved
    while True:
        parts = _solve_all(replace(problem, limits=(*local, *active)), deadline, solved, any_of_equals)
        if parts is None:
            return None
        chosen = frozenset[str]().union(*(part.chosen for part in parts))
        broken = tuple(limit for limit in spanning if not holds(limit, chosen))
        if not broken:
            return parts
        active += broken


def _by_reach(problem: DesignProblem) -> tuple[list[Limit], list[Limit]]:
    """The limits within one part, and those over several."""
    if not problem.limits:
        return [], []
    parts = components(replace(problem, limits=()))
    part_of = {structure.id: place for place, part in enumerate(parts) for structure in part.structures}
    local: list[Limit] = []
    spanning: list[Limit] = []
    for limit in problem.limits:
        within = len({part_of[name] for name in structures_touched(limit)}) <= 1
        (local if within else spanning).append(limit)
    return local, spanning


def _solve_all(
    problem: DesignProblem, deadline: float, solved: SolvedParts, any_of_equals: bool
) -> list[SolvedPart] | None:
    """Solve the parts, small ones first."""
    parts = []
    for component in sorted(components(problem), key=lambda part: len(part.steps) + len(part.structures)):
        part = solved.solve(component, deadline, any_of_equals=any_of_equals)
        if part is None:
            return None
        parts.append(part)
    return parts
