"""Solved parts, by their contents: problems that differ in one decision differ in few parts."""

from __future__ import annotations

from dataclasses import dataclass, field

from nestling.ir.design_problem import DesignProblem
from nestling.optimizer.part import SolvedPart, solve_part

PartContent = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class SolvedParts:
    """The best choices of parts, each proved. Equal parts have equal best choices, whatever the problem."""

    _known: dict[PartContent, SolvedPart] = field(default_factory=dict)

    def solve(self, part: DesignProblem, deadline: float, *, any_of_equals: bool) -> SolvedPart | None:
        """`solve_part`, once for each part."""
        content = (*_content(part), any_of_equals)
        found = self._known.get(content) or solve_part(part, deadline, any_of_equals=any_of_equals)
        if found is not None and found.proved:
            self._known[content] = found
        return found


def _content(part: DesignProblem) -> PartContent:
    """Everything that determines the best choice; the rates are in the costs."""
    return part.structures, part.groups, part.needs, part.steps, part.charges, part.limits, part.loads
