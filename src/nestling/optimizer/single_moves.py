"""A choice that is changed by one decision at a time, and what each change adds to its cost."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from nestling.ir.design_problem import Charge, DesignProblem, Group, Limit, Needs, StatementStep
from nestling.optimizer.components import Element, structures_touched
from nestling.optimizer.evaluate import Chosen, applies, best_mode, holds

SingleMove = tuple[str | None, str | None]
"""A structure that goes and one that comes."""


class SingleMoves:
    """The choice `now` of a weighted problem, changed move by move. Loads count nothing: the cost of the end is not exact."""

    def __init__(self, problem: DesignProblem, chosen: frozenset[str]) -> None:
        self._problem = problem
        self._near = _near(problem)
        self.now = set(chosen)

    def possible(self) -> list[SingleMove]:
        """All moves from here; those made meanwhile may take away what another one needs."""
        return [*_moves(self._problem, self.now)]

    def is_still_possible(self, move: SingleMove) -> bool:
        """Whether a move listed earlier still makes sense."""
        gone, come = move
        return (gone is None or gone in self.now) and come not in self.now

    def added_cost(self, move: SingleMove) -> float | None:
        """The cost that a move adds; None if the move is not allowed."""
        affected = {id(each): each for name in move if name is not None for each in self._near[name]}
        return _difference(affected.values(), self.now, *move)

    def make(self, move: SingleMove) -> None:
        """Apply the move to the choice."""
        _exchange(self.now, *move)


def cheaper(problem: DesignProblem, chosen: frozenset[str], deadline: float) -> frozenset[str]:
    """Make every move that lowers the cost, until none is left or the time (of `time.perf_counter`) is up."""
    moves, moved = SingleMoves(problem, chosen), True
    while moved:
        moved = False
        for move in moves.possible():
            if time.perf_counter() > deadline:
                return frozenset(moves.now)
            if moves.is_still_possible(move) and (cost := moves.added_cost(move)) is not None and cost < 0:
                moves.make(move)
                moved = True
    return frozenset(moves.now)


def _near(problem: DesignProblem) -> Mapping[str, list[Element]]:
    """The elements that speak of each structure."""
    elements: chain[Element] = chain(problem.groups, problem.needs, problem.steps, problem.charges, problem.limits)
    found: dict[str, list[Element]] = defaultdict(list)
    for element in elements:
        for name in dict.fromkeys(structures_touched(element)):
            found[name].append(element)
    return found


def _moves(problem: DesignProblem, chosen: Chosen) -> Iterator[SingleMove]:
    grouped = {name for group in problem.groups for name in group.among}
    for structure in problem.structures:
        if structure.id not in grouped:
            yield (structure.id, None) if structure.id in chosen else (None, structure.id)
    for group in problem.groups:
        now = next((name for name in group.among if name in chosen), None)
        yield from ((now, other) for other in group.among if other != now)
        if group.optional and now is not None:
            yield now, None


def _difference(affected: Iterable[Element], now: set[str], gone: str | None, come: str | None) -> float | None:
    """What a move adds to the cost of `now`; None when it is not allowed."""
    requirements, priced = _apart(affected)
    _exchange(now, gone, come)
    allowed = all(holds(each, now) for each in requirements)
    after = [_due(each, now) for each in priced] if allowed else []
    _exchange(now, come, gone)
    if not allowed:
        return None
    cost = 0.0
    for each, new in zip(priced, after, strict=True):
        old = _due(each, now)
        if old is None or new is None:
            return None
        cost += new - old
    return cost


def _apart(elements: Iterable[Element]) -> tuple[list[Group | Needs | Limit], list[StatementStep | Charge]]:
    """What has to hold, and what costs."""
    requirements: list[Group | Needs | Limit] = []
    priced: list[StatementStep | Charge] = []
    for element in elements:
        match element:
            case Group() | Needs() | Limit():
                requirements.append(element)
            case StatementStep() | Charge():
                priced.append(element)
    return requirements, priced


def _exchange(now: set[str], gone: str | None, come: str | None) -> None:
    """One goes and one comes: sets of all that is chosen are too large to copy for every move that is tried."""
    if gone is not None:
        now.remove(gone)
    if come is not None:
        now.add(come)


def _due(element: StatementStep | Charge, chosen: Chosen) -> float | None:
    """What a step or charge costs; None for a step that cannot be answered."""
    match element:
        case StatementStep():
            best = best_mode(element, chosen)
            return best[1] if best is not None else None
        case Charge():
            return element.cost * applies(element, chosen)
