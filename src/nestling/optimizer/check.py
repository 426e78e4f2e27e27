"""The checker: recomputes from the definition what a solution claims. It shares nothing with the solver or the presolve."""

from __future__ import annotations

from itertools import chain

from nestling.common.errors import CheckError, Problem
from nestling.ir.options import DesignProblem, Solution
from nestling.optimizer.evaluate import Requirement, best_mode, evaluate, holds, load_values
from nestling.optimizer.wording import in_words

AGREEMENT = 1e-9
"""How far two sums of the same costs may differ by rounding, as a share of them."""


def check(problem: DesignProblem, solution: Solution) -> None:
    """Raise `CheckError` with everything in which `solution` is not what `problem` says."""
    broken = _broken(problem, solution.chosen)
    found = [Problem(what=f"the solution breaks: {text}") for text in broken] or _cost(problem, solution)
    if found:
        raise CheckError(*found)


def _broken(problem: DesignProblem, chosen: frozenset[str]) -> list[str]:
    """The requirements that do not hold, and structures that do not exist, in words."""
    unknown = sorted(chosen - {structure.id for structure in problem.structures})
    requirements: chain[Requirement] = chain(problem.groups, problem.needs, problem.limits, problem.steps)
    return [
        *(f"there is no structure `{name}`" for name in unknown),
        *(in_words(requirement) for requirement in requirements if not holds(requirement, chosen)),
    ]


def _cost(problem: DesignProblem, solution: Solution) -> list[Problem]:
    """Differences of cost, modes and bound between an allowed solution and the definition."""
    found = evaluate(problem, solution.chosen)
    assert found is not None
    tolerance = AGREEMENT * max(abs(found.cost), abs(solution.cost))
    problems = []
    if abs(found.cost - solution.cost) > tolerance:
        problems.append(Problem(what=f"the solution says it costs {solution.cost!r}, but it costs {found.cost!r}"))
    if solution.bound > found.cost + tolerance:
        problems.append(Problem(what=f"the bound {solution.bound!r} is above the cost {found.cost!r}"))
    return problems + _modes(problem, solution)


def _modes(problem: DesignProblem, solution: Solution) -> list[Problem]:
    """The steps that the solution does not answer by their best mode."""
    wrong = []
    loads = load_values(problem, solution.chosen)
    for step in problem.steps:
        best = best_mode(step, solution.chosen, loads)
        said = solution.modes.get((step.statement, step.name))
        if best is not None and said != best[0]:
            what = f"`{step.statement}`, `{step.name}` is answered best by mode {best[0]}, not {said}"
            wrong.append(Problem(what=what))
    return wrong
