"""Leaves out structures that alone cost more than a known good choice. This also keeps numbers of like size together."""

from __future__ import annotations

from dataclasses import replace
from math import fsum

from nestling.ir.design_problem import DesignProblem, Limit, Mode

SPREAD = 1e3
"""Largest ratio between a single cost and the cost of a choice, above which it is solved again without it."""
LAST_DIGITS = 1e-12
"""Relative error of a cost that is a sum: a difference may be as small as that."""


def room(problem: DesignProblem, cost: float) -> float:
    """The most that one element may cost in a choice no more expensive than `cost`, given the least cost of all others."""
    charged = [min(charge.cost, 0.0) if charge.when else charge.cost for charge in problem.charges]
    extras = [min(extra, 0.0) for step in problem.steps for mode in step.modes for _, extra in mode.also]
    known = [cost, *(-each for each in (*charged, *extras))]
    return fsum(known) * (1 + 1e-6) + LAST_DIGITS * fsum(map(abs, known))


def largest_cost(problem: DesignProblem) -> float:
    """The largest coefficient of the objective."""
    modes = (cost for step in problem.steps for mode in step.modes for cost in (mode.cost, *(c for _, c in mode.also)))
    charges = (charge.cost for charge in problem.charges if charge.when)
    return max((*map(abs, modes), *map(abs, charges)), default=0.0)


def affordable(problem: DesignProblem, most: float) -> DesignProblem:
    """The problem without modes dearer than `most`, and with charges dearer than that forbidden."""
    dear = [charge for charge in problem.charges if charge.when and charge.cost > most]
    steps = tuple(
        replace(step, modes=tuple(_capped(mode, most) for mode in step.modes if mode.cost <= most))
        for step in problem.steps
    )
    return replace(
        problem,
        steps=steps,
        charges=tuple(charge for charge in problem.charges if not charge.when or charge.cost <= most),
        limits=(*problem.limits, *(Limit("too dear", ((charge.when, 1.0),), 0.0) for charge in dear)),
    )


def _capped(mode: Mode, most: float) -> Mode:
    """The mode only without the structures that make it too dear."""
    dear = tuple(name for name, cost in mode.also if cost > most)
    if not dear:
        return mode
    also = tuple((name, cost) for name, cost in mode.also if cost <= most)
    return replace(mode, also=also, without=tuple(sorted({*mode.without, *dear})))
