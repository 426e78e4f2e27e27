"""Cost against a limited amount, usually storage: what each further byte saves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from nestling.common import errors
from nestling.ir.design_problem import DesignProblem, Limit, Solution
from nestling.optimizer.budget import STORAGE, storage_budget, with_limits
from nestling.optimizer.conflict import least_amount_problem
from nestling.optimizer.evaluate import amount
from nestling.optimizer.solve import solve


@dataclass(frozen=True, slots=True)
class ParetoPoint:
    """The least cost with the amount allowed; `amount` is what that solution really takes."""

    at_most: float
    amount: float
    solution: Solution


class Search(Protocol):
    """A function that finds the least-cost solution of a problem."""

    def __call__(self, problem: DesignProblem, *, limit_seconds: float) -> Solution:
        """Raises `InfeasibleError` when nothing is allowed."""
        ...


def pareto(
    problem: DesignProblem,
    limit_name: str = STORAGE,
    points: int = 5,
    *,
    limit_seconds: float = 60.0,
    search: Search = solve,
) -> tuple[ParetoPoint, ...]:
    """Solutions from the least possible amount to the least cost, amounts evenly spaced, none beaten by another.

    `limit_name`: a limit of the problem, or `storage`: the bytes of all structures. The limit's own `at_most` still applies.
    `search` finds each point. Raises `InfeasibleError` if even the full amount allows no design, and `SearchError` for an
    unknown limit.
    """
    limit = _limit(problem, limit_name)

    def point(at_most: float) -> ParetoPoint:
        solution = search(with_limits(problem, [replace(limit, at_most=at_most)]), limit_seconds=limit_seconds)
        return ParetoPoint(at_most, amount(limit, solution.chosen), solution)

    cheapest = point(limit.at_most)
    smallest = solve(least_amount_problem(problem, limit), limit_seconds=limit_seconds)
    least = amount(limit, smallest.chosen)
    share = (cheapest.amount - least) / max(points - 1, 1)
    budgets = [least + share * place for place in range(points - 1)] if cheapest.amount > least else []
    return _unbeaten([*map(point, budgets), cheapest])


def _limit(problem: DesignProblem, name: str) -> Limit:
    for limit in problem.limits:
        if limit.name == name:
            return limit
    if name == STORAGE:
        return storage_budget(problem, sum(max(structure.bytes, 0.0) for structure in problem.structures))
    known = [limit.name for limit in problem.limits] + [STORAGE]
    raise errors.SearchError(errors.unknown("limit", name, known))


def _unbeaten(found: list[ParetoPoint]) -> tuple[ParetoPoint, ...]:
    """By growing amount, only points that cost less than all before."""
    kept: list[ParetoPoint] = []
    for point in sorted(found, key=lambda point: (point.amount, point.solution.cost)):
        if not kept or point.solution.cost < kept[-1].solution.cost:
            kept.append(point)
    return tuple(kept)
