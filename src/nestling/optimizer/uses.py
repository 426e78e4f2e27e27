"""Which statements use a structure in a solution: those with a step that is answered with it."""

from __future__ import annotations

from collections.abc import Mapping

from nestling.ir.design_problem import DesignProblem, Solution


def users(problem: DesignProblem, solution: Solution) -> Mapping[str, tuple[str, ...]]:
    """By structure, the statements that use it, in the problem's order: a mode that costs nothing does nothing with it."""
    found: dict[str, dict[str, None]] = {}
    for step in problem.steps:
        place = solution.modes.get((step.statement, step.name))
        mode = step.modes[place] if place is not None else None
        for structure in mode.needs if mode is not None and mode.cost else ():
            found.setdefault(structure, {})[step.statement] = None
    return {structure: tuple(statements) for structure, statements in found.items()}
