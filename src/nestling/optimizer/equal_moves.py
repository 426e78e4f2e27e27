"""Single decisions changed at no cost, towards the preferred choice: the tie break of parts too large for a second proof."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain

from nestling.ir.options import Charge, Group, Limit, Needs, Problem, Step
from nestling.optimizer.components import Element, touched
from nestling.optimizer.evaluate import applies, best_mode, holds

Move = tuple[str | None, str | None]
"""A structure that goes and one that comes."""


def equal_moves(problem: Problem, chosen: frozenset[str], *, extra_cost: float) -> frozenset[str]:
    """Make every preferred move whose cost fits into `extra_cost` in all, until none is left. The problem is a weighted one."""
    near = _near(problem)
    weight = {structure.id: structure.weight for structure in problem.structures}
    in_place = {structure.id for structure in problem.structures if structure.in_place}
    moved = True
    while moved:
        moved = False
        for gone, come in list(_moves(problem, chosen)):
            if not _still(gone, come, chosen) or not _is_preferred(gone, come, weight, in_place):
                continue
            changed = (chosen - {gone}) | ({come} if come is not None else frozenset())
            cost = _difference({name: near[name] for name in (gone, come) if name is not None}, chosen, changed)
            if cost is not None and cost <= extra_cost:
                chosen, extra_cost, moved = changed, extra_cost - cost, True
    return chosen


def _near(problem: Problem) -> Mapping[str, list[Element]]:
    """The elements that speak of each structure."""
    elements: chain[Element] = chain(problem.groups, problem.needs, problem.steps, problem.charges, problem.limits)
    found: dict[str, list[Element]] = defaultdict(list)
    for element in elements:
        for name in dict.fromkeys(touched(element)):
            found[name].append(element)
    return found


def _moves(problem: Problem, chosen: frozenset[str]) -> Iterator[Move]:
    grouped = {name for group in problem.groups for name in group.among}
    for structure in problem.structures:
        if structure.id not in grouped:
            yield (structure.id, None) if structure.id in chosen else (None, structure.id)
    for group in problem.groups:
        now = next((name for name in group.among if name in chosen), None)
        yield from ((now, other) for other in group.among if other != now)
        if group.optional and now is not None:
            yield now, None


def _still(gone: str | None, come: str | None, chosen: frozenset[str]) -> bool:
    """Whether a move listed earlier still makes sense."""
    return (gone is None or gone in chosen) and come not in chosen


def _is_preferred(gone: str | None, come: str | None, weight: Mapping[str, int], in_place: set[str]) -> bool:
    """Whether a move lessens the weight, or at equal weight the change."""
    lighter = (weight[come] if come is not None else 0) - (weight[gone] if gone is not None else 0)
    kept = (come in in_place) - (come is not None and come not in in_place)
    lost = (gone in in_place) - (gone is not None and gone not in in_place)
    return (lighter, lost - kept) < (0, 0)


def _difference(near: Mapping[str, list[Element]], before: frozenset[str], after: frozenset[str]) -> float | None:
    """What a move adds to the cost; None when it is not allowed."""
    affected = {id(element): element for elements in near.values() for element in elements}
    cost = 0.0
    for element in affected.values():
        match element:
            case Group() | Needs() | Limit():
                if not holds(element, after):
                    return None
            case Step():
                old, new = best_mode(element, before), best_mode(element, after)
                if old is None or new is None:
                    return None
                cost += new[1] - old[1]
            case Charge():
                cost += element.cost * (applies(element, after) - applies(element, before))
    return cost
