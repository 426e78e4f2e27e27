"""Which statements use a structure in a solution: those one of whose steps is answered with it."""

from __future__ import annotations

from collections.abc import Mapping

from nestling.ir.options import DesignProblem, Solution


def users(problem: DesignProblem, solution: Solution) -> Mapping[str, tuple[str, ...]]:
    """By structure, the statements that use it, in the problem's order."""
    found: dict[str, dict[str, None]] = {}
    for step in problem.steps:
        place = solution.modes.get((step.statement, step.name))
        for structure in step.modes[place].needs if place is not None else ():
            found.setdefault(structure, {})[step.statement] = None
    return {structure: tuple(statements) for structure, statements in found.items()}
