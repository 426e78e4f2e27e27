"""Changes single decisions at no cost towards the preferred choice, in parts that are too large for a second proof."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from nestling.ir.design_problem import Charge, DesignProblem, Group, Limit, Needs, StatementStep
from nestling.optimizer.components import Element, touched
from nestling.optimizer.evaluate import Chosen, applies, best_mode, holds

_Move = tuple[str | None, str | None]
"""A structure that goes and one that comes."""


def equal_moves(problem: DesignProblem, chosen: frozenset[str], *, extra_cost: float) -> frozenset[str]:
    """Make every preferred move whose cost fits into `extra_cost` in all, until none is left. The problem is a weighted one."""
    near, now = _near(problem), set(chosen)
    weight = {structure.id: structure.weight for structure in problem.structures}
    in_place = {structure.id for structure in problem.structures if structure.in_place}
    moved = True
    while moved:
        moved = False
        for gone, come in list(_moves(problem, now)):
            if not _still(gone, come, now) or not _is_preferred(gone, come, weight, in_place):
                continue
            affected = {id(each): each for name in (gone, come) if name is not None for each in near[name]}
            cost = _difference(affected.values(), now, gone, come)
            if cost is not None and cost <= extra_cost:
                _exchange(now, gone, come)
                extra_cost, moved = extra_cost - cost, True
    return frozenset(now)


def _near(problem: DesignProblem) -> Mapping[str, list[Element]]:
    """The elements that speak of each structure."""
    elements: chain[Element] = chain(problem.groups, problem.needs, problem.steps, problem.charges, problem.limits)
    found: dict[str, list[Element]] = defaultdict(list)
    for element in elements:
        for name in dict.fromkeys(touched(element)):
            found[name].append(element)
    return found


def _moves(problem: DesignProblem, chosen: Chosen) -> Iterator[_Move]:
    grouped = {name for group in problem.groups for name in group.among}
    for structure in problem.structures:
        if structure.id not in grouped:
            yield (structure.id, None) if structure.id in chosen else (None, structure.id)
    for group in problem.groups:
        now = next((name for name in group.among if name in chosen), None)
        yield from ((now, other) for other in group.among if other != now)
        if group.optional and now is not None:
            yield now, None


def _still(gone: str | None, come: str | None, chosen: Chosen) -> bool:
    """Whether a move listed earlier still makes sense."""
    return (gone is None or gone in chosen) and come not in chosen


def _is_preferred(gone: str | None, come: str | None, weight: Mapping[str, int], in_place: set[str]) -> bool:
    """Whether a move lessens the weight, or at equal weight the change."""
    lighter = (weight[come] if come is not None else 0) - (weight[gone] if gone is not None else 0)
    kept = (come in in_place) - (come is not None and come not in in_place)
    lost = (gone in in_place) - (gone is not None and gone not in in_place)
    return (lighter, lost - kept) < (0, 0)


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
