"""Fixes structures that are certain: forced ones are chosen; impossible ones, and those that never save, are not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from nestling.ir.design_problem import DesignProblem
from nestling.optimizer.presolve.reduced import Reduced
from nestling.optimizer.presolve.substitution import substitute


def fixing(reduced: Reduced) -> Reduced:
    """Fix what is certain until nothing more is."""
    while True:
        forced = _forced(reduced.problem)
        left_out = _impossible(reduced.problem, forced) | (_useless(reduced.problem) - forced)
        if not forced and not left_out:
            return reduced
        reduced = Reduced(substitute(reduced.problem, forced, left_out), reduced.chosen | forced)


def _forced(problem: DesignProblem) -> frozenset[str]:
    """The only alternatives of groups that have one."""
    return frozenset(group.among[0] for group in problem.groups if len(group.among) == 1 and not group.optional)


def _impossible(problem: DesignProblem, forced: frozenset[str]) -> frozenset[str]:
    """The structures that cannot be chosen: rivals of a forced one, and those that need something that does not exist."""
    beside = (set(group.among) - forced for group in problem.groups if not forced.isdisjoint(group.among))
    unmet = {needs.structure for needs in problem.needs if not needs.any_of} - forced
    return frozenset(chain(unmet, *beside))


def _useless(problem: DesignProblem) -> frozenset[str]:
    """What nothing needs, and what costs, counts and weighs rather than saves: no best choice has it.

    A structure of the design in place stays where that costs nothing: the smaller change is preferred.
    """
    useful = set(
        chain(
            (structure.id for structure in problem.structures if structure.weight < structure.in_place),
            *(group.among for group in problem.groups if not group.optional),
            *(needs.any_of for needs in problem.needs),
            *(mode.needs for step in problem.steps for mode in step.modes),
            (name for step in problem.steps for mode in step.modes for name, cost in mode.also if cost < 0),
            *_of_saving_loads(problem),
            *(charge.when for charge in problem.charges if charge.cost < 0),
            *(when for limit in problem.limits for when, amount in limit.amounts if amount < 0),
        )
    )
    return frozenset(structure.id for structure in problem.structures) - useful


def _of_saving_loads(problem: DesignProblem) -> Iterator[tuple[str, ...]]:
    """The structures that may lower a cost through a load."""
    saving = {name for step in problem.steps for mode in step.modes for name, cost in mode.loads if cost < 0}
    for load in problem.loads:
        yield tuple(name for name, amount in load.amounts if amount < 0 or load.name in saving)
