"""Changes single decisions at no cost towards the preferred choice, in parts that are too large for a second proof."""

from __future__ import annotations

from collections.abc import Mapping

from nestling.ir.design_problem import DesignProblem
from nestling.optimizer.single_moves import SingleMove, SingleMoves


def equal_moves(problem: DesignProblem, chosen: frozenset[str], *, extra_cost: float) -> frozenset[str]:
    """Make preferred moves whose total cost fits into `extra_cost`, until none is left. The problem is a weighted one."""
    moves = SingleMoves(problem, chosen)
    weight = {structure.id: structure.weight for structure in problem.structures}
    in_place = {structure.id for structure in problem.structures if structure.in_place}
    moved = True
    while moved:
        moved = False
        for move in moves.possible():
            if not moves.is_still_possible(move) or not _is_preferred(move, weight, in_place):
                continue
            cost = moves.added_cost(move)
            if cost is not None and cost <= extra_cost:
                moves.make(move)
                extra_cost, moved = extra_cost - cost, True
    return frozenset(moves.now)


def _is_preferred(move: SingleMove, weight: Mapping[str, int], in_place: set[str]) -> bool:
    """Whether a move lessens the weight, or at equal weight the change."""
    gone, come = move
    lighter = (weight[come] if come is not None else 0) - (weight[gone] if gone is not None else 0)
    kept = (come in in_place) - (come is not None and come not in in_place)
    lost = (gone in in_place) - (gone is not None and gone not in in_place)
    return (lighter, lost - kept) < (0, 0)
