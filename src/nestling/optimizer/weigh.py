"""Every decision of a solution weighed: its alternatives' costs, and where it would turn; as much as the time allows."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

from nestling.ir.options import Problem, Solution, Turn, Weighing
from nestling.optimizer.alternatives import Alternative, alternatives, choice, group_named, part_of
from nestling.optimizer.evaluate import applies, best_mode, load_values
from nestling.optimizer.flips import rate_flips

SOLVES = 12
"""Solves spent on each side of one quantity's flips."""


def weigh(problem: Problem, solution: Solution, groups: Iterable[str], *, limit_seconds: float) -> tuple[Weighing, ...]:
    """The groups weighed as far as the time goes: alternatives first, of what was chosen before what was not, then flips.

    Flips are sought for decisions that could go another way and where something was chosen.
    """
    deadline = time.monotonic() + limit_seconds
    found: dict[str, Weighing] = {}
    for name in sorted(groups, key=lambda name: choice(group_named(problem, name), solution.chosen) is None):
        if (left := deadline - time.monotonic()) > 0:
            others = alternatives(problem, solution, name, limit_seconds=left)
            costs = tuple((each.structure, each.cost) for each in others)
            found[name] = Weighing(name, costs, causes=_causes(problem, solution, name, others))
    for name, weighing in found.items():
        chosen = choice(group_named(problem, name), solution.chosen) is not None
        possible = any(cost is not None for _, cost in weighing.alternatives)
        if chosen and possible and (left := deadline - time.monotonic()) > 0:
            flips = rate_flips(problem, name, limit_seconds=left, solves=SOLVES)
            found[name] = replace(weighing, turns=tuple(Turn(f.quantity, f.now, f.at, f.to) for f in flips))
    return tuple(found.values())


def _causes(
    problem: Problem, solution: Solution, group: str, others: tuple[Alternative, ...]
) -> tuple[tuple[str, float], ...]:
    """By statement, what the cheapest alternative costs more a second, the largest difference first."""
    cheapest = next((each for each in others if each.cost is not None), None)
    if cheapest is None:
        return ()
    part = part_of(problem, group)
    now = dict(statement_costs(part, solution.chosen))
    then = statement_costs(part, cheapest.chosen)
    differences = [(name, problem.rates[name] * (cost - now[name])) for name, cost in then if cost != now[name]]
    return tuple(sorted(differences, key=lambda each: (-abs(each[1]), each[0])))


def statement_costs(problem: Problem, chosen: frozenset[str]) -> tuple[tuple[str, float], ...]:
    """Seconds per execution of each statement under a choice, in the problem's order."""
    found = dict.fromkeys(problem.rates, 0.0)
    loads = load_values(problem, chosen)
    for step in problem.steps:
        best = best_mode(step, chosen, loads)
        found[step.statement] += best[1] if best is not None else 0.0
    for charge in problem.charges:
        if applies(charge, chosen):
            found[charge.statement] += charge.cost
    return tuple(found.items())
