"""What a problem looks like once some structures are known to be chosen and others not to be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from operator import is_

from nestling.ir.design_problem import Charge, DesignProblem, Group, Limit, Load, Mode, Needs, StatementStep
from nestling.optimizer.implications import Names


def substitute(problem: DesignProblem, chosen: Names, left_out: Names) -> DesignProblem:
    """The problem over the other structures; `left_out` has the other alternatives of what is chosen.

    What cannot hold any more stays in the problem, as a requirement that nothing meets.
    """
    gone = chosen | left_out
    return replace(
        problem,
        structures=tuple(structure for structure in problem.structures if structure.id not in gone),
        groups=tuple(_groups(problem.groups, chosen, left_out)),
        needs=tuple(
            Needs(needs.structure, tuple(name for name in needs.any_of if name not in left_out))
            for needs in problem.needs
            if needs.structure not in gone and chosen.isdisjoint(needs.any_of)
        ),
        steps=tuple(_step(step, chosen, left_out) for step in problem.steps),
        charges=tuple(_charge(charge, chosen) for charge in problem.charges if left_out.isdisjoint(charge.when)),
        limits=(
            *(_limit(limit, chosen, left_out) for limit in problem.limits),
            *(
                _owed(needs, left_out)
                for needs in problem.needs
                if needs.structure in chosen and chosen.isdisjoint(needs.any_of)
            ),
        ),
        loads=tuple(_load(load, chosen, gone) for load in problem.loads),
    )


def _rest(names: tuple[str, ...], gone: Names) -> tuple[str, ...]:
    return tuple(name for name in names if name not in gone) if not gone.isdisjoint(names) else names


def _groups(groups: tuple[Group, ...], chosen: Names, left_out: Names) -> Iterator[Group]:
    for group in groups:
        count = sum(name in chosen for name in group.among)
        among = _rest(group.among, left_out)
        if count > 1:
            yield Group(group.name, ())  # more than one is forced: nothing meets that
        elif count == 0 and (among or not group.optional):
            yield replace(group, among=among)


def _charge(charge: Charge, chosen: Names) -> Charge:
    if chosen.isdisjoint(charge.when):
        return charge
    return Charge(charge.statement, charge.text, _rest(charge.when, chosen), charge.cost)


def _step(step: StatementStep, chosen: Names, left_out: Names) -> StatementStep:
    """The step with what is left of its modes; the very same one when that is all of it."""
    modes = tuple(
        [
            _mode(mode, chosen, left_out)
            for mode in step.modes
            if left_out.isdisjoint(mode.needs) and chosen.isdisjoint(mode.without)
        ]
    )
    if len(modes) == len(step.modes) and all(map(is_, modes, step.modes)):
        return step
    return StatementStep(step.statement, step.name, modes)


def _mode(mode: Mode, chosen: Names, left_out: Names) -> Mode:
    """The very same mode when it speaks of nothing that is decided: there are many, and most do not."""
    open_also = all(name not in chosen and name not in left_out for name, _ in mode.also)
    if open_also and chosen.isdisjoint(mode.needs) and left_out.isdisjoint(mode.without):
        return mode
    cost = mode.cost + sum(extra for name, extra in mode.also if name in chosen)
    also = tuple((name, extra) for name, extra in mode.also if name not in chosen and name not in left_out)
    return Mode(mode.text, _rest(mode.needs, chosen), cost, also, _rest(mode.without, left_out), mode.loads)


def _load(load: Load, chosen: Names, gone: Names) -> Load:
    base = load.base + sum(amount for name, amount in load.amounts if name in chosen)
    return replace(load, amounts=tuple(pair for pair in load.amounts if pair[0] not in gone), base=base)


def _limit(limit: Limit, chosen: Names, left_out: Names) -> Limit:
    kept = ((_rest(when, chosen), amount) for when, amount in limit.amounts if left_out.isdisjoint(when))
    return replace(limit, amounts=tuple(kept))


def _owed(needs: Needs, left_out: Names) -> Limit:
    """The need of a chosen structure: at least one of the others."""
    return Limit(needs.structure, tuple(((name,), -1.0) for name in needs.any_of if name not in left_out), -1.0)
