"""The oracle for small problems: every allowed choice, one after the other, priced by the checker's own code."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import chain, combinations, product

from nestling.common import errors
from nestling.ir.design_problem import DesignProblem, Group, Solution
from nestling.optimizer.check import cost_of
from nestling.optimizer.evaluate import evaluate
from nestling.optimizer.preference import preference, tie_limit


def exhaustive(problem: DesignProblem) -> Solution:
    """The best of all choices; raises `InfeasibleError` when none is allowed. Takes exponential time."""
    started = time.perf_counter()
    allowed = [(chosen, cost) for chosen in _choices(problem) if (cost := cost_of(problem, chosen)) is not None]
    if not allowed:
        raise errors.InfeasibleError(errors.Problem(what="no choice of structures is allowed"))
    limit = tie_limit(min(cost for _, cost in allowed))
    tied = [(chosen, cost) for chosen, cost in allowed if cost <= limit]
    chosen, best = min(tied, key=lambda pair: (*preference(problem, pair[0]), sorted(pair[0])))
    seconds = time.perf_counter() - started
    modes = evaluate(problem, chosen)
    assert modes is not None, "both codes of the definition agree on what is allowed"
    return Solution(chosen, modes.modes, best, min(cost for _, cost in allowed), seconds, proved=True)


def _choices(problem: DesignProblem) -> Iterator[frozenset[str]]:
    """Every combination of one alternative per group with every set of the structures that are in no group."""
    grouped = {structure for group in problem.groups for structure in group.among}
    free = [structure.id for structure in problem.structures if structure.id not in grouped]
    subsets = [frozenset(subset) for size in range(len(free) + 1) for subset in combinations(free, size)]
    by_group = {frozenset(chain.from_iterable(picks)) for picks in product(*map(_picks, problem.groups))}
    return (picked | subset for picked in sorted(by_group, key=sorted) for subset in subsets)


def _picks(group: Group) -> list[tuple[str, ...]]:
    return [(structure,) for structure in group.among] + ([()] if group.optional else [])
