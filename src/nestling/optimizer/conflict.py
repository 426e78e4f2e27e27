"""Why no design is allowed: a minimal set of contradictory requirements, found by dividing (QuickXplain [Junker])."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from nestling.common.errors import InfeasibleError, Problem
from nestling.ir.design_problem import Charge, DesignProblem, Group, Limit, Needs, StatementStep
from nestling.ir.quantity_words import size_to_allow
from nestling.optimizer.components import components
from nestling.optimizer.evaluate import Requirement
from nestling.optimizer.part import solve_part
from nestling.optimizer.presolve import presolve
from nestling.optimizer.presolve.weighted import WHOLE_WORKLOAD
from nestling.optimizer.wording import in_words

LIMIT_SECONDS = 60.0
"""For one question whether some requirements can hold together."""


def conflict(problem: DesignProblem) -> InfeasibleError:
    """The error that names a minimal conflicting set of an infeasible problem; dropping any of the set resolves the conflict."""
    part = next(part for part in components(problem) if not is_feasible(part))
    requirements: list[Requirement] = [*part.limits, *part.groups, *part.needs, *part.steps]
    found = _minimal(part, [], requirements, changed=False)
    words = "; ".join(in_words(requirement) for requirement in found)
    return InfeasibleError(
        Problem(
            what=f"these cannot hold together: {words}" if len(found) > 1 else f"this cannot hold: {words}",
            known="; ".join(_least(part, limit) for limit in found if isinstance(limit, Limit)),
            next_move="loosen or drop one of them",
        )
    )


def is_feasible(problem: DesignProblem) -> bool:
    """Whether any choice is allowed."""
    deadline = time.perf_counter() + LIMIT_SECONDS
    reduced = presolve(costless(problem)).problem
    return all(solve_part(part, deadline) is not None for part in components(reduced))


def costless(problem: DesignProblem) -> DesignProblem:
    """The problem's requirements alone: every step is as good one way as another."""
    steps = tuple(
        StatementStep(
            WHOLE_WORKLOAD, step.name, tuple(replace(mode, cost=0.0, also=(), loads=()) for mode in step.modes)
        )
        for step in problem.steps
    )
    return replace(problem, steps=steps, charges=(), rates={WHOLE_WORKLOAD: 1.0}, loads=())


def least_amount_problem(problem: DesignProblem, limit: Limit) -> DesignProblem:
    """The problem whose cost is the amount of `limit`, without that limit."""
    free = costless(replace(problem, limits=tuple(other for other in problem.limits if other.name != limit.name)))
    return replace(
        free, charges=tuple(Charge(WHOLE_WORKLOAD, limit.name, when, amount) for when, amount in limit.amounts)
    )


def _minimal(
    problem: DesignProblem, kept: list[Requirement], suspects: Sequence[Requirement], *, changed: bool
) -> list[Requirement]:
    """A minimal set of `suspects` that cannot hold together with `kept`; `changed`: `kept` grew since it was last asked."""
    if changed and not is_feasible(_with(problem, kept)):
        return []
    if len(suspects) == 1:
        return list(suspects)
    half = len(suspects) // 2
    first, second = list(suspects[:half]), list(suspects[half:])
    of_second = _minimal(problem, [*kept, *first], second, changed=True)
    of_first = _minimal(problem, [*kept, *of_second], first, changed=bool(of_second))
    return [*of_first, *of_second]


def _with(problem: DesignProblem, kept: list[Requirement]) -> DesignProblem:
    """The problem with these requirements only."""
    return replace(
        problem,
        groups=tuple(item for item in kept if isinstance(item, Group)),
        needs=tuple(item for item in kept if isinstance(item, Needs)),
        steps=tuple(item for item in kept if isinstance(item, StatementStep)),
        limits=tuple(item for item in kept if isinstance(item, Limit)),
    )


def _least(problem: DesignProblem, limit: Limit) -> str:
    """The least value of a limit that would be feasible, everything else being equal."""
    deadline = time.perf_counter() + LIMIT_SECONDS
    reduced = presolve(least_amount_problem(problem, limit)).problem
    parts = [solve_part(part, deadline) for part in components(reduced)]
    amounts = [part.cost for part in parts if part is not None]
    name = limit.requirement or limit.name
    if len(amounts) < len(parts):
        return f"{name}: not even without it"
    return f"{name}: at least {size_to_allow(sum(amounts)) if limit.in_bytes else f'{sum(amounts):g}'}"
