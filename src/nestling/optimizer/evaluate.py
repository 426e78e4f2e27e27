"""The cost of a choice of structures, and whether it is allowed, from the definition alone; no solver is involved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType

from nestling.ir.design_problem import Charge, DesignProblem, Group, Limit, Mode, Needs, StatementStep

TOLERANCE = 1e-9
"""How far rounding may carry an amount past its limit, as a share of the largest number in the limit."""

NO_LOADS: Mapping[str, float] = MappingProxyType({})
"""No loads."""

Requirement = Group | Needs | Limit | StatementStep
Chosen = frozenset[str] | set[str]
"""The structures chosen; a set that changes only where single moves are tried."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A choice that is allowed: the best mode of each step, and its cost in seconds per second."""

    modes: Mapping[tuple[str, str], int]
    cost: float


def evaluate(problem: DesignProblem, chosen: frozenset[str]) -> Evaluation | None:
    """The cost of `chosen` with the best mode for each step; None if a requirement is broken."""
    demands: chain[Requirement] = chain(problem.groups, problem.needs, problem.limits)
    if any(not holds(requirement, chosen) for requirement in demands):
        return None
    modes: dict[tuple[str, str], int] = {}
    cost = 0.0
    loads = load_values(problem, chosen)
    for step in problem.steps:
        best = best_mode(step, chosen, loads)
        if best is None:
            return None
        modes[step.statement, step.name], seconds = best
        cost += problem.rates[step.statement] * seconds
    charged = sum(
        problem.rates[charge.statement] * charge.cost for charge in problem.charges if applies(charge, chosen)
    )
    return Evaluation(modes, cost + charged)


def holds(requirement: Requirement, chosen: Chosen) -> bool:
    """Whether `chosen` keeps a requirement."""
    match requirement:
        case Group(among=among, optional=optional):
            count = len(chosen.intersection(among))
            return count == 1 or (optional and count == 0)
        case Needs(structure=structure, any_of=any_of):
            return structure not in chosen or not chosen.isdisjoint(any_of)
        case Limit():
            return amount(requirement, chosen) <= requirement.at_most + TOLERANCE * limit_scale(requirement)
        case StatementStep():
            return any(is_possible(mode, chosen) for mode in requirement.modes)


def best_mode(step: StatementStep, chosen: Chosen, loads: Mapping[str, float] = NO_LOADS) -> tuple[int, float] | None:
    """The cheapest possible mode of a step (the first of equals) and its cost per execution; None if none is possible."""
    best: tuple[int, float] | None = None
    for place, mode in enumerate(step.modes):
        if is_possible(mode, chosen):
            cost = mode_cost(mode, chosen, loads)
            if best is None or cost < best[1]:
                best = place, cost
    return best


def is_possible(mode: Mode, chosen: Chosen) -> bool:
    """Whether a mode can answer its step under `chosen`."""
    return chosen.issuperset(mode.needs) and chosen.isdisjoint(mode.without)


def mode_cost(mode: Mode, chosen: Chosen, loads: Mapping[str, float] = NO_LOADS) -> float:
    """The cost of a mode per execution, including what other chosen structures add to it, directly and through loads."""
    cost = mode.cost
    if mode.also:
        cost += sum(each for structure, each in mode.also if structure in chosen)
    return cost + sum(each * loads[name] for name, each in mode.loads) if mode.loads else cost


def load_values(problem: DesignProblem, chosen: frozenset[str]) -> Mapping[str, float]:
    """The total of each load."""
    return {
        load.name: load.base + sum(amount for name, amount in load.amounts if name in chosen) for load in problem.loads
    }


def applies(charge: Charge, chosen: Chosen) -> bool:
    """Whether a charge is due: all its structures are chosen."""
    return chosen.issuperset(charge.when)


def amount(limit: Limit, chosen: Chosen) -> float:
    """The amount of the chosen structures for a limit."""
    return sum(amount for when, amount in limit.amounts if chosen.issuperset(when))


def limit_scale(limit: Limit) -> float:
    """The largest number in a limit, to measure rounding against; 1 when all are zero."""
    return max((abs(limit.at_most), *(abs(amount) for _, amount in limit.amounts))) or 1.0
