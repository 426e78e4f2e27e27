"""The checker: computes a solution's claims from the definition, independently. The solver uses nothing of this.

Requirements, modes and cost are always computed. The bound is certified if the problem is small enough: `least.py` finds the
least cost again by trying choices. For a larger problem the bound rests on the solver alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum

from nestling.common.errors import CheckError, Problem
from nestling.ir.design_problem import DesignProblem, Limit, Mode, Solution
from nestling.optimizer.least import MOST_EFFORT, least_cost
from nestling.optimizer.wording import in_words

AGREEMENT = 1e-9
"""How far two sums of the same costs may differ by rounding, as a share of the sum of their sizes."""
PROVED = 1e-6
"""How far above the least cost a proved solution may be, as a share of it."""


def check(problem: DesignProblem, solution: Solution, *, effort: int = MOST_EFFORT) -> bool:
    """Raise `CheckError` with every difference between `solution` and `problem`. Return whether the bound is certified.

    `effort`: how much may be tried for that.
    """
    broken = list(_broken(problem, solution.chosen))
    if broken:
        raise CheckError(*(Problem(what=f"the solution breaks: {text}") for text in broken))
    found = [*_modes(problem, solution), *_cost(problem, solution)]
    if found:
        raise CheckError(*found)
    least = least_cost(problem, effort)
    if least is None:
        return False
    if found := list(_bound(problem, solution, least)):
        raise CheckError(*found)
    return True


def cost_of(problem: DesignProblem, chosen: frozenset[str]) -> float | None:
    """The cost of a choice; None if it is not allowed."""
    return None if any(_broken(problem, chosen)) else fsum(_terms(problem, chosen))


def _broken(problem: DesignProblem, chosen: frozenset[str]) -> Iterator[str]:
    """The requirements that do not hold, and structures that do not exist, in words."""
    yield from (f"there is no structure `{name}`" for name in sorted(chosen - {each.id for each in problem.structures}))
    for group in problem.groups:
        count = sum(name in chosen for name in group.among)
        if count > 1 or (count == 0 and not group.optional):
            yield in_words(group)
    for needs in problem.needs:
        if needs.structure in chosen and not any(name in chosen for name in needs.any_of):
            yield in_words(needs)
    for limit in problem.limits:
        if _amount(limit, chosen) > limit.at_most + AGREEMENT * limit.scale:
            yield in_words(limit)
    for step in problem.steps:
        if not any(_can(mode, chosen) for mode in step.modes):
            yield in_words(step)


def _amount(limit: Limit, chosen: frozenset[str]) -> float:
    return fsum(amount for when, amount in limit.amounts if all(name in chosen for name in when))


def _can(mode: Mode, chosen: frozenset[str]) -> bool:
    return all(name in chosen for name in mode.needs) and not any(name in chosen for name in mode.without)


def _terms(problem: DesignProblem, chosen: frozenset[str]) -> Iterator[float]:
    """The terms whose sum is the cost of an allowed choice."""
    for step in problem.steps:
        rate = problem.rates[step.statement]
        yield rate * min(_mode_cost(problem, mode, chosen) for mode in step.modes if _can(mode, chosen))
    for charge in problem.charges:
        if all(name in chosen for name in charge.when):
            yield problem.rates[charge.statement] * charge.cost


def _mode_cost(problem: DesignProblem, mode: Mode, chosen: frozenset[str]) -> float:
    loads = {load.name: load for load in problem.loads}
    cost = [mode.cost, *(extra for name, extra in mode.also if name in chosen)]
    for name, each in mode.loads:
        load = loads[name]
        cost.append(each * fsum([load.base, *(amount for member, amount in load.amounts if member in chosen)]))
    return fsum(cost)


def _modes(problem: DesignProblem, solution: Solution) -> Iterator[Problem]:
    """The steps that the solution answers by a mode that is not possible, or not the cheapest."""
    for step in problem.steps:
        said = solution.modes.get((step.statement, step.name))
        where = f"`{step.statement}`, `{step.name}`"
        if said is None or not 0 <= said < len(step.modes) or not _can(step.modes[said], solution.chosen):
            yield Problem(what=f"{where} is answered by mode {said}, which this design does not have")
            continue
        costs = {
            n: _mode_cost(problem, m, solution.chosen) for n, m in enumerate(step.modes) if _can(m, solution.chosen)
        }
        best = min(costs, key=lambda place: costs[place])
        if costs[said] - costs[best] > AGREEMENT * max(map(abs, costs.values())):
            yield Problem(what=f"{where} is answered best by mode {best}, not {said}")


def _cost(problem: DesignProblem, solution: Solution) -> Iterator[Problem]:
    """Differences of cost and bound from the definition for this choice alone."""
    terms = list(_terms(problem, solution.chosen))
    cost, rounding = fsum(terms), AGREEMENT * fsum(map(abs, terms))
    if abs(cost - solution.cost) > rounding:
        yield Problem(what=f"the solution says it costs {solution.cost!r}, but it costs {cost!r}")
    if solution.bound > cost + rounding:
        yield Problem(what=f"the bound {solution.bound!r} is above the cost {cost!r}")


def _bound(problem: DesignProblem, solution: Solution, least: float) -> Iterator[Problem]:
    """Contradictions between the bound, or the claim of proof, and the least possible cost."""
    rounding = AGREEMENT * fsum(map(abs, _terms(problem, solution.chosen)))
    if solution.bound > least + rounding:
        yield Problem(what=f"the bound {solution.bound!r} is above the least cost {least!r}")
    if solution.proved and solution.cost > least + PROVED * abs(least) + rounding + 1e-12:
        yield Problem(what=f"the solution says it is proved at {solution.cost!r}, but the least cost is {least!r}")
