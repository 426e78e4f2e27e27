"""What a step costs at least with each alternative of a group becomes a charge; loads become costs of structures and pairs.

A step all of whose modes need one alternative or another of a group costs at least the cheapest mode of the chosen one, base and
per unit of each load. That much is due whatever the mode, and no longer part of the step. Charges of all steps on the same load
then add up, so the pairs of structures they stand for are written down once, not once for each step.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from nestling.ir.design_problem import Charge, DesignProblem, Group, Load, Mode, StatementStep
from nestling.optimizer.implications import Implications
from nestling.optimizer.presolve.reduced import Reduced
from nestling.optimizer.presolve.weighted import WHOLE_WORKLOAD

_Shares = dict[tuple[str, str], float]
"""Cost for each unit of a load, due with a structure."""


def hoisting(reduced: Reduced) -> Reduced:
    """The problem without loads."""
    problem = reduced.problem
    known = Implications(problem)
    groups = _groups_of(problem)
    loads = {load.name: load for load in problem.loads}
    steps: list[StatementStep] = []
    charges: list[Charge] = list(problem.charges)
    shares: _Shares = defaultdict(float)
    for step in problem.steps:
        alternatives = _alternatives(step, groups, known)
        rest = step
        if alternatives is not None:
            rest, found = _hoisted(step, alternatives, shares)
            charges += found
        steps.append(
            StatementStep(rest.statement, rest.name, tuple([_unloaded(mode, loads, known) for mode in rest.modes]))
        )
    for (name, load), cost in shares.items():
        charges += _charges(name, loads[load], cost, known)
    return replace(reduced, problem=replace(problem, steps=tuple(steps), charges=tuple(charges), loads=()))


def _groups_of(problem: DesignProblem) -> dict[str, list[Group]]:
    found: dict[str, list[Group]] = defaultdict(list)
    for group in problem.groups:
        if not group.optional:
            for name in group.among:
                found[name].append(group)
    return found


def _alternatives(step: StatementStep, groups: dict[str, list[Group]], known: Implications) -> list[str] | None:
    """By mode, the alternative it needs, or implies, of an exact group; of the first group of which every mode needs one."""
    if not step.modes:
        return None
    first = step.modes[0]
    for name in dict.fromkeys(implied for need in first.needs for implied in sorted(known.implied(need))):
        for group in groups.get(name, ()):
            found = [other for mode in step.modes if (other := _alternative(mode, group, known)) is not None]
            if len(found) == len(step.modes):
                return found
    return None


def _alternative(mode: Mode, group: Group, known: Implications) -> str | None:
    """The alternative of a group that a mode needs, itself or through what it needs."""
    for need in mode.needs:
        picks = known.picks(need)
        if picks is not None and group.name in picks:
            return picks[group.name]
    return None


def _hoisted(step: StatementStep, of: list[str], shares: _Shares) -> tuple[StatementStep, list[Charge]]:
    """The step without what each alternative costs at least, and that as charges; load shares go to `shares`.

    `of`: by mode, the alternative it needs.
    """
    least: dict[str, float] = {}
    least_loads: dict[str, dict[str, float]] = {}
    for name, mode in zip(of, step.modes, strict=True):
        each = {load: cost for load, cost in mode.loads if cost > 0}
        least[name] = min(least.get(name, mode.cost), mode.cost)
        before = least_loads.get(name, each)
        least_loads[name] = {load: min(cost, each[load]) for load, cost in before.items() if load in each}
    for name, found in least_loads.items():
        for load, cost in found.items():
            shares[name, load] += cost
    modes = tuple([_less(mode, least[name], least_loads[name]) for name, mode in zip(of, step.modes, strict=True)])
    charges = [Charge(WHOLE_WORKLOAD, step.name, (name,), cost) for name, cost in least.items() if cost]
    return StatementStep(step.statement, step.name, modes), charges


def _less(mode: Mode, cost: float, loads: dict[str, float]) -> Mode:
    """The mode without a part of its cost, and of what it costs for each unit of a load."""
    rest = tuple([(load, each - loads.get(load, 0.0)) for load, each in mode.loads])
    return Mode(mode.text, mode.needs, mode.cost - cost, mode.also, mode.without, rest)


def _unloaded(mode: Mode, loads: dict[str, Load], known: Implications) -> Mode:
    """The mode with its loads as further costs of their members."""
    if not mode.loads:
        return mode
    loaded = [(loads[name], cost) for name, cost in mode.loads if cost]
    picks = known.together(mode.needs) if loaded else None
    if picks is None:  # impossible, or nothing loads it
        return Mode(mode.text, mode.needs, mode.cost, mode.also, mode.without)
    certain = frozenset[str]().union(*(known.implied(name) for name in mode.needs))
    cost, also = mode.cost, list(mode.also)
    for load, each in loaded:
        cost += each * load.base
        for name, amount in load.amounts:
            if name in certain:
                cost += each * amount
            elif known.allows(picks, name):
                also.append((name, each * amount))
    return Mode(mode.text, mode.needs, cost, tuple(also), mode.without)


def _charges(name: str, load: Load, cost: float, known: Implications) -> Iterator[Charge]:
    """What a load costs, due with a structure: alone, or together with each member."""
    picks = known.picks(name)
    if picks is None:
        return
    certain, alone = known.implied(name), cost * load.base
    pairs: Sequence[tuple[str, float]] = [pair for pair in load.amounts if pair[0] not in certain]
    alone += cost * sum(amount for member, amount in load.amounts if member in certain)
    yield Charge(WHOLE_WORKLOAD, load.name, (name,), alone)
    for member, amount in pairs:
        if known.allows(picks, member):
            when = (member,) if name in known.implied(member) else (name, member)
            yield Charge(WHOLE_WORKLOAD, load.name, when, cost * amount)
