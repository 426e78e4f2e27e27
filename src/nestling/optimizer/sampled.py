"""Random valid choices, to compare with the best one in the model and on a server."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product
from math import prod
from random import Random

from nestling.ir.design_problem import DesignProblem, Group
from nestling.optimizer.evaluate import evaluate, holds
from nestling.optimizer.solve import attempt

TRIES = 20
"""Random choices made for each one that is wanted: many are not allowed, or are there already."""
SOLVE_SECONDS = 5.0
"""How long the rest of one choice may be searched for."""


def sampled(problem: DesignProblem, count: int, seed: int = 0) -> Iterator[frozenset[str]]:
    """At most `count` different choices that are allowed, the same for the same seed.

    The mandatory decisions (where everything is stored) are enumerated if there are few enough, and otherwise random. The rest
    is alternately the best for them and random: strong rivals first, then how bad it gets.
    """
    chance = Random(seed)  # noqa: S311 - not secret
    taken = [group for group in problem.groups if not group.optional]
    seen: set[frozenset[str]] = set()
    solved: set[tuple[str, ...]] = set()
    for number, decided in enumerate(islice(_decisions(taken, count, chance), count * TRIES)):
        if len(seen) >= count:
            return
        if number % 2 == 0 and decided in solved:
            continue
        chosen = _any(problem, decided, chance) if number % 2 else _rest(problem, decided)
        solved.add(decided)
        if chosen is not None and chosen not in seen:
            seen.add(chosen)
            yield chosen


def _decisions(groups: list[Group], count: int, chance: Random) -> Iterator[tuple[str, ...]]:
    """One structure of each group: all ways, each twice in a row, before random ones."""
    if prod(len(group.among) for group in groups) * 2 <= count:
        for decided in product(*(group.among for group in groups)):
            yield from (decided, decided)
    while True:
        decided = tuple(chance.choice(group.among) for group in groups)
        yield from (decided, decided)


def _rest(problem: DesignProblem, decided: tuple[str, ...]) -> frozenset[str] | None:
    """The best choice with these decisions; None if they are not allowed."""
    forced = tuple(Group(f"only {name}", (name,)) for name in decided)
    decided_problem = replace(problem, groups=(*problem.groups, *forced))
    solution = attempt(decided_problem, limit_seconds=SOLVE_SECONDS, any_of_equals=True)
    return solution.chosen if solution is not None else None


def _any(problem: DesignProblem, decided: tuple[str, ...], chance: Random) -> frozenset[str] | None:
    """A random choice with these decisions; None if they are not allowed."""
    taken = {name for group in problem.groups if not group.optional for name in group.among}
    free = [structure.id for structure in problem.structures if structure.id not in taken]
    picked = [name for name in chance.sample(free, len(free)) if chance.random() < 0.5]
    chosen = set(decided)
    for name in picked:
        if all(sum(each in chosen for each in group.among) == 0 for group in problem.groups if name in group.among):
            chosen.add(name)
    return _allowed_part(problem, chosen, frozenset(decided))


def _allowed_part(problem: DesignProblem, chosen: set[str], decided: frozenset[str]) -> frozenset[str] | None:
    """Remove structures that cannot be in it."""
    while broken := [need.structure for need in problem.needs if not holds(need, frozenset(chosen))]:
        if not decided.isdisjoint(broken):
            return None
        chosen -= set(broken)
    found = frozenset(chosen)
    return found if evaluate(problem, found) is not None else None
