"""Checks a problem before the search: names exist, numbers are numbers, no rate is negative."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import isfinite

from nestling.common.errors import Problem, SearchError
from nestling.ir.design_problem import DesignProblem

MOST_MISTAKES = 10
"""Mistakes named in one error."""


def check_problem(problem: DesignProblem) -> None:
    """Raise `SearchError` with the first mistakes in a problem."""
    found = list(_mistakes(problem))
    if found:
        raise SearchError(*(Problem(what=what) for what in dict.fromkeys(found[:MOST_MISTAKES])))


def _mistakes(problem: DesignProblem) -> Iterator[str]:
    for name, count in Counter(structure.id for structure in problem.structures).items():
        if count > 1:
            yield f"there are {count} structures called `{name}`"
    known = {structure.id for structure in problem.structures}
    for where, names in _names(problem):
        for name in names:
            if name not in known:
                yield f"{where} mentions `{name}`, which is not a structure"
    loads = {load.name for load in problem.loads}
    for step in problem.steps:
        for mode in step.modes:
            for name, _ in mode.loads:
                if name not in loads:
                    yield f"mode `{mode.text}` of `{step.statement}` mentions `{name}`, which is not a load"
    yield from _wrong_numbers(problem)


def _names(problem: DesignProblem) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield (what mentions them, structures)."""
    for group in problem.groups:
        yield f"group `{group.name}`", group.among
    for needs in problem.needs:
        yield "a need", (needs.structure, *needs.any_of)
    for step in problem.steps:
        where = f"statement `{step.statement}`"
        for mode in step.modes:
            yield where, (*mode.needs, *mode.without, *(name for name, _ in mode.also))
    for charge in problem.charges:
        yield f"charge `{charge.text}`", charge.when
    for limit in problem.limits:
        yield f"limit `{limit.name}`", tuple(name for when, _ in limit.amounts for name in when)
    for load in problem.loads:
        yield f"load `{load.name}`", tuple(name for name, _ in load.amounts)


def _wrong_numbers(problem: DesignProblem) -> Iterator[str]:
    for name, rate in problem.rates.items():
        if not isfinite(rate) or rate < 0:
            yield f"statement `{name}` has a rate of {rate:g}; rates are 0 or more"
    named = (*(step.statement for step in problem.steps), *(charge.statement for charge in problem.charges))
    for statement in dict.fromkeys(name for name in named if name not in problem.rates):
        yield f"statement `{statement}` has no rate"
    for where, numbers in _numbers(problem):
        if not all(map(isfinite, numbers)):
            yield f"{where} has a cost or an amount that is not a number"


def _numbers(problem: DesignProblem) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield (what has them, costs or amounts)."""
    for step in problem.steps:
        for mode in step.modes:
            further = (*(cost for _, cost in mode.also), *(cost for _, cost in mode.loads))
            yield f"mode `{mode.text}` of `{step.statement}`", (mode.cost, *further)
    for charge in problem.charges:
        yield f"charge `{charge.text}` of `{charge.statement}`", (charge.cost,)
    for limit in problem.limits:
        yield f"limit `{limit.name}`", tuple(amount for _, amount in limit.amounts)
    for load in problem.loads:
        yield f"load `{load.name}`", (load.base, *(amount for _, amount in load.amounts))
