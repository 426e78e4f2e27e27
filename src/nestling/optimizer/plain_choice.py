"""An allowed choice made without a solver, for when the time is up before the solver has found one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nestling.ir.design_problem import DesignProblem, Group, Mode, StatementStep
from nestling.optimizer.evaluate import evaluate, holds

PASSES = 3
"""How often all steps are looked at: what one step needs may be what another cannot be answered with."""


def plain_choice(problem: DesignProblem) -> frozenset[str] | None:
    """For each decision the structure that needs no other, and what no step can be answered without.

    None where no such choice was found; another one may still be allowed.
    """
    needs = {each.structure: each.any_of for each in problem.needs}
    taken = (group for group in problem.groups if not group.optional)
    chosen = {next((name for name in group.among if name not in needs), group.among[0]) for group in taken}
    groups: dict[str, list[Group]] = {}
    for group in problem.groups:
        for name in group.among:
            groups.setdefault(name, []).append(group)
    for _ in range(PASSES):
        unanswered = [step for step in problem.steps if not holds(step, chosen)]
        for step in unanswered:
            if not holds(step, chosen):
                chosen |= min(_ways(step, chosen, needs, groups), key=len, default=set())
        if not unanswered:
            break
    found = frozenset(chosen)
    return found if evaluate(problem, found) is not None else None


def _ways(
    step: StatementStep, chosen: set[str], needs: Mapping[str, tuple[str, ...]], groups: Mapping[str, list[Group]]
) -> Iterator[set[str]]:
    """What may be added to a choice so that a step can be answered, for each of its modes."""
    for mode in step.modes:
        more = _missing(mode, chosen, needs)
        is_free = all(chosen.isdisjoint(group.among) for name in more for group in groups.get(name, ()))
        if is_free and (chosen | more).isdisjoint(mode.without):
            yield more


def _missing(mode: Mode, chosen: set[str], needs: Mapping[str, tuple[str, ...]]) -> set[str]:
    """The structures a mode needs that are not chosen, and the first that each of these needs."""
    found: set[str] = set()
    left = [name for name in mode.needs if name not in chosen]
    while left:
        name = left.pop()
        if name in found:
            continue
        found.add(name)
        wanted = needs.get(name, ())
        if wanted and chosen.isdisjoint(wanted) and found.isdisjoint(wanted):
            left.append(wanted[0])
    return found
