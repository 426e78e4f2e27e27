"""Steps of the same footprint become one: the same modes, at costs that differ by a constant and a factor only.

Which mode is best is then the same for all of them. Charges on the same structures become one as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from nestling.ir.design_problem import Charge, Mode, StatementStep
from nestling.optimizer.presolve.reduced import Reduced
from nestling.optimizer.presolve.weighted import WHOLE_WORKLOAD

DIGITS = 12
"""Ratios of costs that agree to so many digits are the same: what is left is rounding."""

CostFootprint = tuple[object, ...]


def compression(reduced: Reduced) -> Reduced:
    """Merge steps, with their constant parts taken out, and charges."""
    problem = reduced.problem
    merged: dict[CostFootprint, StatementStep] = {}
    constants: list[Charge] = []
    for step in problem.steps:
        if not step.modes:
            merged[step.name, len(merged)] = step  # it cannot be answered: that has to stay seen
            continue
        base = min(mode.cost for mode in step.modes)
        constants.append(Charge(WHOLE_WORKLOAD, "", (), base))
        above = _above(step, base)
        footprint = _footprint(above)
        merged[footprint] = _sum(merged[footprint], above) if footprint in merged else above
    changed = replace(problem, steps=tuple(merged.values()), charges=_merged_charges((*problem.charges, *constants)))
    return replace(reduced, problem=changed)


def _above(step: StatementStep, base: float) -> StatementStep:
    """The step without its constant cost, its modes in an order that does not depend on the costs."""
    modes = sorted([_with_costs(mode, mode.cost - base, mode.also) for mode in step.modes], key=_condition)
    return StatementStep(step.statement, step.name, tuple(modes))


def _with_costs(mode: Mode, cost: float, also: tuple[tuple[str, float], ...]) -> Mode:
    return Mode(mode.text, mode.needs, cost, also, mode.without, mode.loads)


def _condition(mode: Mode) -> tuple[tuple[str, ...], ...]:
    return mode.needs, mode.without, tuple(name for name, _ in mode.also)


def _footprint(step: StatementStep) -> CostFootprint:
    costs = [cost for mode in step.modes for cost in (mode.cost, *(cost for _, cost in mode.also))]
    scale = max(map(abs, costs)) or 1.0
    return (*map(_condition, step.modes), *(round(cost / scale, DIGITS) for cost in costs))


def _sum(one: StatementStep, other: StatementStep) -> StatementStep:
    modes = zip(one.modes, other.modes, strict=True)
    return StatementStep(one.statement, one.name, tuple([_mode_sum(first, second) for first, second in modes]))


def _mode_sum(one: Mode, other: Mode) -> Mode:
    also = zip(one.also, other.also, strict=True)
    return _with_costs(one, one.cost + other.cost, tuple((name, first + second) for (name, first), (_, second) in also))


def _merged_charges(charges: Iterable[Charge]) -> tuple[Charge, ...]:
    sums: dict[tuple[str, ...], float] = {}
    for charge in charges:
        when = tuple(sorted(set(charge.when)))
        sums[when] = sums.get(when, 0.0) + charge.cost
    return tuple(Charge(WHOLE_WORKLOAD, "", when, cost) for when, cost in sums.items() if cost)
