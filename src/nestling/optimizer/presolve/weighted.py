"""Rates into the costs: afterwards all costs are seconds per second, and steps of different statements can be merged."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.design_problem import Charge, DesignProblem, Mode, StatementStep

WHOLE_WORKLOAD = ""
"""The one statement left, executed once a second."""


def weighted(problem: DesignProblem) -> DesignProblem:
    """The problem with costs multiplied by rates, so that every rate is 1; steps keep only their names."""
    return replace(
        problem,
        steps=tuple(_step(step, problem.rates[step.statement]) for step in problem.steps),
        charges=tuple(
            Charge(WHOLE_WORKLOAD, charge.text, charge.when, charge.cost * problem.rates[charge.statement])
            for charge in problem.charges
        ),
        rates={WHOLE_WORKLOAD: 1.0},
    )


def _step(step: StatementStep, rate: float) -> StatementStep:
    return StatementStep(WHOLE_WORKLOAD, step.name, tuple(_mode(mode, rate) for mode in step.modes))


def _mode(mode: Mode, rate: float) -> Mode:
    if not mode.also and not mode.loads:
        return Mode(mode.text, mode.needs, mode.cost * rate, (), mode.without)
    also = tuple((structure, cost * rate) for structure, cost in mode.also)
    loads: dict[str, float] = {}
    for load, cost in mode.loads:
        loads[load] = loads.get(load, 0.0) + cost * rate
    return Mode(mode.text, mode.needs, mode.cost * rate, also, mode.without, tuple(loads.items()))
