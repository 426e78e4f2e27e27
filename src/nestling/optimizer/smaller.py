"""Puts a structure that stores less in the place of one that serves no better, such as an index with keys nobody uses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from nestling.ir.design_problem import DesignProblem, Structure
from nestling.optimizer.evaluate import evaluate
from nestling.optimizer.preference import tie_limit
from nestling.optimizer.single_moves import SingleMoves


def smaller(problem: DesignProblem, chosen: frozenset[str], cost: float) -> frozenset[str]:
    """Exchange structures of the choice one by one, the largest first, while the cost stays within the tie limit of `cost`.

    What is exchanged has the same weight and is in place alike, so that the choice is preferred as much as before. The problem
    is a weighted one without loads.
    """
    known = {structure.id: structure for structure in problem.structures}
    beside = _beside(problem)
    moves = SingleMoves(problem, chosen)
    extra_cost = tie_limit(cost) - cost
    for gone in sorted(chosen, key=lambda name: (-known[name].bytes, name)):
        others = (known[name] for name in beside[gone] if name not in moves.now)
        for other in sorted(others, key=lambda each: (each.bytes, each.id)):
            if other.bytes >= known[gone].bytes:
                break
            if not _are_alike(known[gone], other):
                continue
            added = moves.added_cost((gone, other.id))
            if added is not None and added <= extra_cost:
                moves.make((gone, other.id))
                extra_cost -= added
                break
    found = evaluate(problem, frozenset(moves.now))
    return frozenset(moves.now) if found is not None and found.cost <= tie_limit(cost) else chosen


def _beside(problem: DesignProblem) -> Mapping[str, frozenset[str]]:
    """By structure, those that a way to answer the same step needs."""
    found: dict[str, set[str]] = defaultdict(set)
    for step in problem.steps:
        names = {name for mode in step.modes for name in mode.needs}
        for name in names:
            found[name] |= names
    return {structure.id: frozenset(found[structure.id]) for structure in problem.structures}


def _are_alike(one: Structure, other: Structure) -> bool:
    """Whether neither is preferred but for its size."""
    return (one.weight, one.in_place) == (other.weight, other.in_place)
