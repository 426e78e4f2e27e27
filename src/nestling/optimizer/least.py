"""The least cost of a small problem, by trying choices from the definition alone: for the checker, never for the solver.

Structures are decided one by one. Undecided ones cost at least the cheapest remaining possibility; if that is no less than the
best choice found, the branch is skipped. So every choice was tried or costs more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from math import fsum, inf
from typing import TypeVar

from nestling.ir.design_problem import DesignProblem, Limit, Mode, StatementStep

Element = TypeVar("Element")

MOST_EFFORT = 2_000_000
"""How much may be tried: partial choices, each counted with all that is priced or counted for it."""
MOST_STRUCTURES = 500
"""Structures of one part that are tried at most."""
ROUNDING = 1e-9
"""How far an amount may pass its limit by rounding, as a share of the largest number in the limit."""


def least_cost(problem: DesignProblem, effort: int = MOST_EFFORT) -> float | None:
    """The least cost of any allowed choice, infinite if there is none; None if it would take too long."""
    found = []
    for part in _parts(problem):
        if len(part.structures) > MOST_STRUCTURES:
            return None
        search = _Least(part, effort)
        search.decide(frozenset(), frozenset())
        effort = search.effort
        if effort < 0:
            return None
        found.append(search.best)
    return inf if inf in found else fsum(found)


@dataclass(slots=True)
class _Least:
    """One part's search: the best cost so far, and how much more may be tried."""

    problem: DesignProblem
    effort: int
    best: float = inf

    def decide(self, inside: frozenset[str], outside: frozenset[str]) -> None:
        """Try all choices with `inside` and without `outside`."""
        self.effort -= _numbers(self.problem)
        if self.effort < 0 or not _may_be_allowed(self.problem, inside, outside):
            return
        cost = fsum(_least_terms(self.problem, inside, outside))
        if cost >= self.best:
            return
        open_one = next((s.id for s in self.problem.structures if s.id not in inside and s.id not in outside), None)
        if open_one is None:
            self.best = cost
            return
        self.decide(inside | {open_one}, outside)
        self.decide(inside, outside | {open_one})


def _numbers(problem: DesignProblem) -> int:
    """The number of values to examine for one partial choice."""
    counted = (problem.structures, problem.groups, problem.needs, problem.charges, *(s.modes for s in problem.steps))
    amounts = sum(len(limit.amounts) for limit in problem.limits) + sum(len(load.amounts) for load in problem.loads)
    return 1 + sum(map(len, counted)) + amounts


def _may_be_allowed(problem: DesignProblem, inside: frozenset[str], outside: frozenset[str]) -> bool:
    """False only if every choice with `inside` and without `outside` breaks a requirement."""
    for group in problem.groups:
        if len(inside.intersection(group.among)) > 1 or (not group.optional and outside.issuperset(group.among)):
            return False
    if any(needs.structure in inside and outside.issuperset(needs.any_of) for needs in problem.needs):
        return False
    return all(
        _least_amount(limit, inside, outside) <= limit.at_most + ROUNDING * limit.scale for limit in problem.limits
    )


def _least_amount(limit: Limit, inside: frozenset[str], outside: frozenset[str]) -> float:
    """The least possible amount: everything certain, and everything possible that lowers it."""
    return fsum(
        amount
        for when, amount in limit.amounts
        if (inside.issuperset(when) if amount > 0 else outside.isdisjoint(when))
    )


def _least_terms(problem: DesignProblem, inside: frozenset[str], outside: frozenset[str]) -> Iterator[float]:
    """The least possible terms of a choice with `inside` and without `outside`; exact if nothing is undecided."""
    loads = dict(_load_ranges(problem, inside, outside))
    for step in problem.steps:
        possible = (m for m in step.modes if outside.isdisjoint(m.needs) and inside.isdisjoint(m.without))
        least = min((_least_of(mode, inside, outside, loads) for mode in possible), default=inf)
        yield inf if least == inf else problem.rates[step.statement] * least
    for charge in problem.charges:
        if inside.issuperset(charge.when) if charge.cost > 0 else outside.isdisjoint(charge.when):
            yield problem.rates[charge.statement] * charge.cost


def _load_ranges(
    problem: DesignProblem, inside: frozenset[str], outside: frozenset[str]
) -> Iterator[tuple[str, tuple[float, float]]]:
    for load in problem.loads:
        certain = [load.base, *(amount for name, amount in load.amounts if name in inside)]
        maybe = [amount for name, amount in load.amounts if name not in inside and name not in outside]
        yield (
            load.name,
            (fsum([*certain, *(min(a, 0.0) for a in maybe)]), fsum([*certain, *(max(a, 0.0) for a in maybe)])),
        )


def _least_of(
    mode: Mode, inside: frozenset[str], outside: frozenset[str], loads: dict[str, tuple[float, float]]
) -> float:
    extras = [cost if name in inside else min(cost, 0.0) for name, cost in mode.also if name not in outside]
    return fsum([mode.cost, *extras, *(min(each * end for end in loads[name]) for name, each in mode.loads)])


def _parts(problem: DesignProblem) -> Iterator[DesignProblem]:
    """The problem in parts that share no structure, and the part without structures."""
    members = {load.name: [name for name, _ in load.amounts] for load in problem.loads}
    groups = [(each, {*each.among}) for each in problem.groups]
    needs = [(each, {each.structure, *each.any_of}) for each in problem.needs]
    charges = [(each, {*each.when}) for each in problem.charges]
    limits = [(each, set(chain.from_iterable(when for when, _ in each.amounts))) for each in problem.limits]
    steps = [(each, set(_names(each, members))) for each in problem.steps]
    rooms = [{structure.id} for structure in problem.structures]
    for names in (names for _, names in chain[tuple[object, set[str]]](groups, needs, charges, limits, steps)):
        joined = [room for room in rooms if not room.isdisjoint(names)]
        rooms = [room for room in rooms if room.isdisjoint(names)]
        rooms += [set().union(*joined)] if joined else []
    for room in [*rooms, set[str]()]:
        yield replace(
            problem,
            structures=tuple(structure for structure in problem.structures if structure.id in room),
            groups=_inside(groups, room),
            needs=_inside(needs, room),
            steps=_inside(steps, room),
            charges=_inside(charges, room),
            limits=_inside(limits, room),
        )


def _names(step: StatementStep, members: Mapping[str, list[str]]) -> Iterator[str]:
    """The structures a step speaks of."""
    for mode in step.modes:
        yield from (*mode.needs, *mode.without, *(name for name, _ in mode.also))
        yield from chain.from_iterable(members[name] for name, _ in mode.loads)


def _inside(elements: list[tuple[Element, set[str]]], room: set[str]) -> tuple[Element, ...]:
    """The elements of one part; for the part without structures those that touch none."""
    return tuple(each for each, names in elements if names & room or not (room or names))
