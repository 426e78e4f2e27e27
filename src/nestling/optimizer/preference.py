"""Which of equally cheap choices is preferred: fewest structures, then least change from the design in place."""

from __future__ import annotations

from nestling.ir.design_problem import DesignProblem

TIED = 1e-9
"""Costs that differ by less than this share count as equal: far below the accuracy of any coefficient."""


def preference(problem: DesignProblem, chosen: frozenset[str]) -> tuple[int, int]:
    """The weight of the chosen structures, and how many structures appear or disappear; less is better."""
    weight = sum(structure.weight for structure in problem.structures if structure.id in chosen)
    return weight, sum((structure.id in chosen) != structure.in_place for structure in problem.structures)


def tie_limit(cost: float) -> float:
    """The highest cost that counts as equal to `cost`."""
    return cost + TIED * abs(cost)
