"""Drops structures that others always beat: any choice with them can be changed into a better one.

It tries two changes for a structure that no remaining structure needs: drop it, or take another alternative of its group, with
an addition such as an index where a step needs one. It adds up what the change costs each step at most, and what it certainly
saves. Where the sum saves, no best choice has the structure. Innermost embeddings come first.
"""

from __future__ import annotations

from dataclasses import replace

from nestling.optimizer.presolve.beaten_modes import drop_beaten_modes
from nestling.optimizer.presolve.context import CERTAIN
from nestling.optimizer.presolve.losses import Exchange, losses
from nestling.optimizer.presolve.open_choices import OpenChoices
from nestling.optimizer.presolve.reduced import Reduced
from nestling.optimizer.presolve.substitution import substitute

ROUNDS = 4
"""How often all structures are gone through: what is left out makes room for more."""


def choices(reduced: Reduced) -> Reduced:
    """Leave out what no best choice has."""
    problem = reduced.problem
    open_choices = OpenChoices(problem)
    drop_beaten_modes(open_choices)
    ordered = sorted(open_choices.structures, key=lambda name: -len(open_choices.known.implied(name)))
    waiting = set(ordered)
    for _ in range(ROUNDS):
        asked, waiting = waiting, set()
        for name in ordered:
            if name in asked and _beaten(open_choices, name):
                waiting |= open_choices.near(name)
                open_choices.drop(name)
        waiting -= open_choices.left_out
    steps = (
        replace(step, modes=tuple(left.every)) for step, left in zip(problem.steps, open_choices.steps, strict=True)
    )
    left = replace(problem, steps=tuple(steps))
    return replace(reduced, problem=substitute(left, frozenset(), frozenset(open_choices.left_out)))


def _beaten(open_choices: OpenChoices, name: str) -> bool:
    groups = open_choices.groups_of.get(name, [])
    if open_choices.known.picks(name) is None:
        return True  # it can never be chosen
    if name in open_choices.also or len(groups) > 1:
        return False
    if not groups or groups[0].optional:
        changes = [Exchange(name, None)]
    else:
        changes = [Exchange(name, other) for other in open_choices.alternatives(name)]
    return any(_pays(open_choices, change) for change in changes)


def _pays(open_choices: OpenChoices, change: Exchange) -> bool:
    """Whether a change is always possible and always saves."""
    if not _is_possible(open_choices, change):
        return False
    loss, scale = losses(open_choices, change)
    return loss < -CERTAIN * scale or (change.instead is None and loss <= 0 and _is_lighter(open_choices, change.gone))


def _is_lighter(open_choices: OpenChoices, name: str) -> bool:
    """Whether a choice without it is preferred at the same cost."""
    structure = open_choices.structures[name]
    return structure.weight > 0 or (structure.weight == 0 and not structure.in_place)


def _is_possible(open_choices: OpenChoices, change: Exchange) -> bool:
    """Whether the change breaks nothing that held: no need, no limit, no load that would grow by it."""
    if open_choices.needed(change.gone, change.instead):
        return False
    for load in open_choices.loads_of.get(change.gone, ()):
        if load in open_choices.negative_loads:
            return False
    before: dict[int, float] = {}
    for place, when, amount in open_choices.limits_of.get(change.gone, ()):
        if len(when) > 1 and amount < 0:
            return False
        before[place] = before.get(place, 0.0) + (amount if len(when) == 1 else 0.0)
    if any(amount < 0 for amount in before.values()):
        return False
    after: dict[int, float] = {}
    for place, _, amount in open_choices.limits_of.get(change.instead or "", ()):
        after[place] = after.get(place, 0.0) + max(amount, 0.0)
    return all(amount <= before.get(place, 0.0) for place, amount in after.items())
