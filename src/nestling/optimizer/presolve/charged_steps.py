"""Steps whose best mode follows from the structures alone become charges, which cost the solver little or nothing.

Two forms: one structure each of a group decides between the modes; or one mode always works and one other saves something.
A charge below zero is a saving.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nestling.ir.design_problem import Charge, DesignProblem, Group, Mode, StatementStep
from nestling.optimizer.presolve.reduced import Reduced
from nestling.optimizer.presolve.weighted import WHOLE_WORKLOAD

Charges = tuple[Charge, ...]
LAST_DIGITS = 1e-6
"""A mode that costs so much less than another has few digits left in the difference."""


def charged_steps(reduced: Reduced) -> Reduced:
    """Replace every such step by charges."""
    problem = reduced.problem
    deciding = {frozenset(group.among): group for group in problem.groups}
    exclusive = _exclusive(problem)
    kept: list[StatementStep] = []
    charges: list[Charge] = []
    for step in problem.steps:
        found = _charges(step, deciding, exclusive)
        if found is None:
            kept.append(step)
        else:
            charges.extend(found)
    changed = replace(problem, steps=tuple(kept), charges=(*problem.charges, *charges))
    return replace(reduced, problem=changed)


def _exclusive(problem: DesignProblem) -> Mapping[str, frozenset[str]]:
    """The groups each structure is in, by name of the structure."""
    found: dict[str, frozenset[str]] = {}
    for group in problem.groups:
        for name in group.among:
            found[name] = found.get(name, frozenset()) | {group.name}
    return found


def _charges(
    step: StatementStep, deciding: Mapping[frozenset[str], Group], groups: Mapping[str, frozenset[str]]
) -> Charges | None:
    always = [mode for mode in step.modes if not mode.needs and not mode.without]
    others = [mode for mode in step.modes if mode.needs or mode.without]
    if any(mode.without for mode in others) or len(always) > 1:
        return None
    if not always:
        return _decided(others, deciding)
    default = always[0]
    if not others:
        return _paid(default)
    if default.also or any(mode.also for mode in others):
        return None
    if any(mode.cost < default.cost * LAST_DIGITS for mode in others):
        return None  # a saving would say too little of what is left to pay
    if len(others) == 1 or _one_at_most(others, groups):
        savings = (Charge(WHOLE_WORKLOAD, mode.text, mode.needs, mode.cost - default.cost) for mode in others)
        return (*_paid(default), *(saving for saving in savings if saving.cost < 0))
    return None


def _decided(modes: list[Mode], deciding: Mapping[frozenset[str], Group]) -> Charges | None:
    """Every alternative of an exact group allows one mode: each is the price of its alternative."""
    if any(len(mode.needs) != 1 for mode in modes):
        return None
    group = deciding.get(frozenset(mode.needs[0] for mode in modes))
    if group is None or group.optional or len(group.among) != len(modes):
        return None
    return tuple(charge for mode in modes for charge in _paid(mode))


def _paid(mode: Mode) -> Charges:
    """The charges of a mode that is used exactly when its structures are chosen."""
    also = (Charge(WHOLE_WORKLOAD, mode.text, (*mode.needs, name), cost) for name, cost in mode.also)
    return (Charge(WHOLE_WORKLOAD, mode.text, mode.needs, mode.cost), *also)


def _one_at_most(modes: list[Mode], groups: Mapping[str, frozenset[str]]) -> bool:
    """Whether no two of the modes are ever possible together: each needs another structure of one group."""
    if len({mode.needs for mode in modes}) < len(modes) or any(len(mode.needs) != 1 for mode in modes):
        return False
    return bool(frozenset.intersection(*(groups.get(mode.needs[0], frozenset()) for mode in modes)))
